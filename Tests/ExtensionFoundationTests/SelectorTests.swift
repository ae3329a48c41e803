// SelectorTests: methods found by their names, with tables as the source step writes them.

import ExtensionFoundation
import Foundation
import Locks
import Testing

@Suite struct SelectorTests {
    @Test func aMethodIsFoundByItsNameWithItsArguments() {
        let object = Talker()
        #expect(object.responds(to: "say:to:"))
        #expect(!object.responds(to: "say:"))
        object.perform("say:to:", with: "hello", with: 3)
        #expect(object.said == ["hello 3"])
    }

    @Test func anObjectHasTheValuesThatAreAttachedToIt() {
        let (object, other) = (Talker(), Talker())
        let keys = UnsafeMutablePointer<UInt8>.allocate(capacity: 2)
        defer { keys.deallocate() }
        objc_setAssociatedObject(object, keys, ["a": 1], .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        objc_setAssociatedObject(object, keys + 1, other, .OBJC_ASSOCIATION_ASSIGN)
        #expect(objc_getAssociatedObject(object, keys) as? [String: Int] == ["a": 1])
        #expect(objc_getAssociatedObject(object, keys + 1) as? Talker === other)
        #expect(objc_getAssociatedObject(other, keys) == nil)
        objc_setAssociatedObject(object, keys, 7, .OBJC_ASSOCIATION_ASSIGN)
        #expect(objc_getAssociatedObject(object, keys) as? Int == 7)
        objc_setAssociatedObject(object, keys, nil, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        #expect(objc_getAssociatedObject(object, keys) == nil)
        objc_removeAssociatedObjects(object)
        #expect(objc_getAssociatedObject(object, keys + 1) == nil)
        // Many objects leave, and their values with them.
        weak var last: Talker?
        for _ in 0..<200 {
            let value = Talker()
            last = value
            objc_setAssociatedObject(Talker(), keys, value, .OBJC_ASSOCIATION_RETAIN)
        }
        for _ in 0..<200 { objc_setAssociatedObject(Talker(), keys, 1, .OBJC_ASSOCIATION_RETAIN) }
        #expect(last == nil)
    }

    @Test func aSubclassInheritsMethodsAndReplacesThem() {
        let object = Shouter()
        object.perform("say:to:", with: "hello", with: 3)
        #expect(object.said == ["HELLO 3"])
        #expect((object.perform("name")?.takeUnretainedValue() as? NSString) == "Shouter")
        #expect(object.value(forKey: "name") as? String == "Shouter")
    }

    @Test func aValueIsSetByThePropertysName() {
        let object = Talker()
        object.setValue("Ann", forKey: "name")
        #expect(object.name == "Ann")
        object.setValue(nil, forKey: "nickname")
        #expect(object.nickname == nil)
        object.setValue("A", forKey: "nickname")
        #expect(object.value(forKey: "nickname") as? String == "A")
    }

    @Test func methodsOfSeveralFilesAndOfAnExtendedClassOfAnotherModuleAreFound() {
        #expect(Talker().responds(to: "second"))
        #expect(Outer.Inner().responds(to: "second"))
        // The table of NSObject's extension lies in this module.
        #expect(Talker().perform("moduleName")?.takeUnretainedValue() as? NSString == "ExtensionFoundationTests")
    }

    @Test func aPrivateClassHasItsTable() { #expect(PrivateTalker().responds(to: "whisper")) }

    @Test func theArgumentsOfAMethodMayBeFewer() {
        let object = Talker()
        SelectorTests.send(object, "quiet")
        #expect(object.said == ["…"])
    }

    private static func send(_ object: NSObject, _ name: String) {
        object.perform(NSSelectorFromString(name), with: "ignored")
    }

    @Test func anExtensionsMethodIsFoundWhereItsModuleSendsTheSelector() {
        // The class of the kit has its own module in its chain alone.
        let object = NSExtensionItem()
        #expect(object.responds(to: _sel("moduleOfItem")))
        #expect(object.perform(NSSelectorFromString("moduleOfItem"))?.takeUnretainedValue() as? NSString == "this")
        #expect(!object.responds(to: "moduleOfItem"))
    }

    @Test func aTableOfAnotherClassOfTheNameIsPassedOver() {
        #expect(!PrivateTalker().responds(to: "shout"))
    }

    @Test func numbersBecomeWhatTheMethodTakes() {
        let object = Talker()
        object.setValue(8, forKey: "radius")
        #expect(object.radius == 8)
        object.setValue(2.5, forKey: "radius")
        #expect(object.radius == 2.5)
        let entries = NSMutableDictionary()
        entries.setValue("b", forKey: "a")
        #expect(entries.value(forKey: "a") as? String == "b")
    }

    // MARK: Notifications and timers

    @Test func anObserverMayBeTheObjectAndNeedNoSuperclass() {
        let center = NotificationCenter()
        weak var weakModel: Model?
        do {
            let model = Model()
            weakModel = model
            center.addObserver(model, selector: "changed", name: nil, object: model)
            center.post(name: NSNotification.Name("a"), object: model)
            center.post(name: NSNotification.Name("a"), object: nil)
            #expect(model.count == 1)
            center.removeObserver(model)
            center.post(name: NSNotification.Name("a"), object: model)
            #expect(model.count == 1)
            center.addObserver(model, selector: "changed", name: nil, object: model)
        }
        #expect(weakModel == nil)
    }

    @Test func anObserverIsCalledUntilItIsRemoved() {
        let (center, object) = (NotificationCenter(), Talker())
        let name = NSNotification.Name("said")
        center.addObserver(object, selector: "noted:", name: name, object: nil)
        center.addObserver(object, selector: "quiet", name: NSNotification.Name("other"), object: nil)
        center.post(name: name, object: nil)
        #expect(object.said == ["said"])
        center.removeObserver(object, name: name, object: nil)
        center.post(name: name, object: nil)
        center.post(name: NSNotification.Name("other"), object: nil)
        #expect(object.said == ["said", "…"])
        center.removeObserver(object)
        center.post(name: NSNotification.Name("other"), object: nil)
        #expect(object.said == ["said", "…"])
    }

    @Test func onlyTheObjectThatIsObservedCounts() {
        let (center, object, sender) = (NotificationCenter(), Talker(), NSObject())
        center.addObserver(object, selector: "noted:", name: nil, object: sender)
        center.post(name: NSNotification.Name("a"), object: NSObject())
        center.post(name: NSNotification.Name("b"), object: sender)
        #expect(object.said == ["b"])
    }

    @Test func anObserverIsNotKeptAlive() {
        let center = NotificationCenter()
        weak var weakObject: Talker?
        do {
            let object = Talker()
            weakObject = object
            center.addObserver(object, selector: "noted:", name: nil, object: nil)
        }
        #expect(weakObject == nil)
        center.post(name: NSNotification.Name("a"), object: nil)
    }

    @Test func aTimerCallsItsTarget() {
        let object = Talker()
        let timer = Timer(timeInterval: 0, target: object, selector: "quiet", userInfo: nil, repeats: false)
        timer.fire()
        #expect(object.said == ["…"])
        #expect(timer.isValid == false)
    }

    @Test func anArgumentThatIsNotUsedMayBeOfAnyClass() {
        let talker = Talker()
        weak var weakObject: Model?
        do {
            let object = Model()
            weakObject = object
            talker.perform("tapped:", with: object)
            talker.perform("pressed:", with: object)
        }
        talker.perform("tapped:", with: talker)
        talker.perform("pressed:", with: nil)
        #expect(talker.said == ["tapped", "pressed", "tapped", "pressed"])
        #expect(weakObject == nil)
    }

    // MARK: What is wrong

    @Test func anUnusedArgumentThatIsNoObjectEndsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Talker().perform("tapped:", with: 1)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("argument 1 of tapped: is Swift.Int, and the method takes Talker"))
    }

    @Test func anUnknownSelectorEndsTheProcessAndNamesTheClass() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Talker().perform("fly:", with: 1)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("-[ExtensionFoundationTests.Talker fly:]: unrecognized selector"))
    }

    @Test func anArgumentOfAnotherTypeEndsTheProcessAndNamesBoth() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Talker().perform("say:to:", with: 1, with: 2)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("argument 1 of say:to: is Swift.Int, and the method takes String"))
    }
}

// MARK: Classes, and their tables as the source step writes them

class Talker: NSObject {
    var said: [String] = []
    var name = "Talker"
    var nickname: String? = "T"
    var radius: CGFloat = 0
    func say(_ words: String, to count: Int) { said.append("\(words) \(count)") }
    func quiet() { said.append("…") }
    func tapped(_ sender: Talker) { said.append("tapped") }
    func pressed(_ sender: Talker?) { said.append("pressed") }
    private func noted(_ notification: Notification) { said.append(notification.name.rawValue) }
}

extension Talker {
    nonisolated static var __methods_Talker__0: [_Method] {
        [
            _Method("say:to:") { ($0 as! Talker).say($1[0, String.self], to: $1[1, Int.self]) },
            _Method("quiet") { target, _ in (target as! Talker).quiet() },
            _Method("tapped:") { ($0 as! Talker).tapped($1[unused: 0, Talker.self]) },
            _Method("pressed:") { ($0 as! Talker).pressed($1[unused: 0, Talker?.self]) },
            _Method("noted:") { ($0 as! Talker).noted($1[0, Notification.self]) },
            _Method("name") { target, _ in (target as! Talker).name },
            _Method("setName:") { ($0 as! Talker).name = $1[0, String.self] },
            _Method("setRadius:") { ($0 as! Talker).radius = $1[0, CGFloat.self] },
            _Method("nickname") { target, _ in (target as! Talker).nickname },
            _Method("setNickname:") { ($0 as! Talker).nickname = $1[0, String?.self] },
        ]
    }
}

final class __Methods_Talker: _MethodTable { static var methods: [_Method] { Talker.__methods_Talker__0 } }
final class __Methods_Talker__1: _MethodTable { static var methods: [_Method] { [_Method("second") { _, _ in nil }] } }

final class Shouter: Talker {
    override init() {
        super.init()
        name = "Shouter"
    }
    override func say(_ words: String, to count: Int) { super.say(words.uppercased(), to: count) }
}

enum Outer { class Inner: NSObject {} }
final class __Methods_Outer_Inner: _MethodTable {
    static var methods: [_Method] { [_Method("second") { _, _ in nil }] }
}

private class PrivateTalker: NSObject {}
final class __Methods_PrivateTalker: _MethodTable {
    static var methods: [_Method] { [_Method("whisper") { _, _ in nil }] }
}

final class __Methods_PrivateTalker__1: _MethodTable {
    static var owner: AnyClass? { Talker.self }
    static var methods: [_Method] { [_Method("shout") { _, _ in nil }] }
}

final class __Methods_NSExtensionItem: _MethodTable {
    static var methods: [_Method] { [_Method("moduleOfItem") { _, _ in "this" }] }
}

final class Model {
    var count = 0
}
final class __Methods_Model: _MethodTable {
    static var owner: AnyClass? { Model.self }
    static var methods: [_Method] { [_Method("changed") { target, _ in (target as! Model).count += 1 }] }
}

final class __Methods_NSObject: _MethodTable {
    static var methods: [_Method] { [_Method("moduleName") { _, _ in "ExtensionFoundationTests" }] }
}
