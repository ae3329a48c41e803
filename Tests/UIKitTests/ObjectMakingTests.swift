// ObjectMakingTests: objects of classes that are known at run time, with initializers as authors write them.

import ExtensionFoundation
import MobileCoreServices
import Social
import Testing
import UIKit

/// As authors write it: Objective-C finds the initializer by its name, and in Swift it overrides nothing.
class ConvenientController: UIViewController {
    var made = ""
    convenience init() {
        self.init(nibName: nil, bundle: nil)
        made = "own"
    }
}

/// Another kind of initializer, which hides that of the base, too.
class HidingController: UIViewController {
    var made = ""
    init() {
        made = "plain"
        super.init(nibName: nil, bundle: nil)
    }
    required init?(coder: NSCoder) { nil }
}

nonisolated final class __Methods_HidingController: _MethodTable {
    nonisolated static var methods: [_Method] { [_Method("init") { _, _ in HidingController() as Any? }] }
}

class InheritingController: ConvenientController {}

/// As the source step writes it.
nonisolated final class __Methods_ConvenientController: _MethodTable {
    nonisolated static var owner: AnyClass? { (ConvenientController.self as Any) as? AnyClass }
    nonisolated static var methods: [_Method] { [_Method("init") { _, _ in ConvenientController() as Any? }] }
}

/// The way from a class that was found at run time to its object. A toolchain that lays vtables out otherwise fails
/// here.
@Suite struct ObjectMakingTests {
    typealias Principal = any (NSObject & NSExtensionRequestHandling).Type

    class Plain: NSObject, NSExtensionRequestHandling {
        var made: String { "plain" }
        private let parts = ["a", "b"]
        func beginRequest(with context: NSExtensionContext) { _ = parts }
    }

    class Overriding: Plain {
        private let number: Int
        override init() {
            number = 7
            super.init()
        }
        override var made: String { "overriding \(number)" }
    }

    class Inheriting: Overriding {
        private var more = "more"
        override var made: String { super.made + " " + more }
    }

    class Convenient: Plain {
        private let name: String
        init(name: String) { self.name = name }
        convenience override init() { self.init(name: "convenient") }
        override var made: String { name }
    }

    final class Last: Plain {
        override var made: String { "last" }
    }

    class Requiring: Plain {
        required override init() { super.init() }
        override var made: String { "requiring" }
    }

    @Test(
        arguments: [
            ("plain", Plain.self), ("overriding 7", Overriding.self), ("overriding 7 more", Inheriting.self),
            ("convenient", Convenient.self), ("last", Last.self), ("requiring", Requiring.self),
        ] as [(String, Plain.Type)])
    func anyInitializerWithoutArgumentsMakesAPrincipalObject(made: String, type: Plain.Type) throws {
        let principal = try #require(type as AnyClass as? Principal)
        let object = makeObject(of: principal)
        #expect(Swift.type(of: object) == type)
        #expect((object as? Plain)?.made == made)
    }

    class PlainController: UIViewController { let list = [1, 2, 3] }

    class NibController: UIViewController {
        let list: [Int]
        override init(nibName: String?, bundle: Bundle?) {
            list = [1, 2, 3]
            super.init(nibName: nibName, bundle: bundle)
        }
        required init?(coder: NSCoder) { fatalError("no coder here") }
    }

    class ListController: NibController {
        private var text: String
        init(text: String) {
            self.text = text
            super.init(nibName: nil, bundle: nil)
        }
        convenience override init(nibName: String?, bundle: Bundle?) { self.init(text: "mine") }
        required init?(coder: NSCoder) { fatalError("no coder here") }
        override func viewDidLoad() { title = text }
    }

    class Sheet: SLComposeServiceViewController { let list = [1] }

    @Test @MainActor func controllersWithInitializersOfTheirOwnAreMadeWithoutAWord() {
        #expect(makeObject(of: PlainController.self as UIViewController.Type) is PlainController)
        #expect((makeObject(of: NibController.self as UIViewController.Type) as? NibController)?.list == [1, 2, 3])
        let list = makeObject(of: ListController.self as UIViewController.Type)
        list.loadViewIfNeeded()
        #expect(list.title == "mine")
        #expect((makeObject(of: Sheet.self as UIViewController.Type) as? Sheet)?.list == [1])
    }

    /// Without the table, as for a subclass, the base's initializer is called.
    @Test @MainActor func aPrincipalClassIsMadeByItsOwnInitializer() {
        let own = makePrincipal(of: ConvenientController.self as UIViewController.Type)
        #expect((own as? ConvenientController)?.made == "own")
        let inheriting = makePrincipal(of: InheritingController.self as UIViewController.Type)
        #expect((inheriting as? InheritingController)?.made == "")
        #expect(makePrincipal(of: PlainController.self as UIViewController.Type) is PlainController)
    }

    class Cell: UITableViewCell {
        let badge = UILabel()
        override init(style: CellStyle, reuseIdentifier: String?) {
            super.init(style: .value1, reuseIdentifier: reuseIdentifier)
            badge.text = "made for \(reuseIdentifier ?? "nobody")"
        }
        required init?(coder: NSCoder) { fatalError("no coder here") }
    }

    class PlainCell: UITableViewCell { let badge = UILabel() }

    @Test @MainActor func aTableMakesItsCellsByStyleAndIdentifier() throws {
        let table = UITableView()
        table.register(Cell.self, forCellReuseIdentifier: "row")
        table.register(PlainCell.self, forCellReuseIdentifier: "plain")
        let cell = try #require(table.dequeueReusableCell(withIdentifier: "row") as? Cell)
        #expect(cell.badge.text == "made for row" && cell.reuseIdentifier == "row")
        #expect(table.dequeueReusableCell(withIdentifier: "plain") is PlainCell)
        #expect(table.dequeueReusableCell(withIdentifier: "other") == nil)
    }

    class Box: UIView {
        let side: CGFloat
        init(side: CGFloat) {
            self.side = side
            super.init(frame: CGRect(x: 0, y: 0, width: side, height: side))
        }
        required init?(coder: NSCoder) { fatalError("no coder here") }
    }

    class Card: UIView {
        let list: [Int]
        override init(frame: CGRect) {
            list = [1, 2]
            super.init(frame: frame)
        }
        required init?(coder: NSCoder) {
            list = [3]
            super.init(coder: coder)
        }
    }

    class OwnLayer: CALayer {
        var list = [4]
        override init() { super.init() }
        required init?(coder: NSCoder) { fatalError("no coder here") }
    }

    class ByStyle: UITableViewController {
        let list: [Int]
        override init(style: UITableView.Style) {
            list = [5]
            super.init(style: style)
        }
        convenience override init(nibName: String?, bundle: Bundle?) { self.init(style: .grouped) }
        required init?(coder: NSCoder) { fatalError("no coder here") }
    }

    @Test @MainActor func viewsWithInitializersOfTheirOwnAreMade() {
        #expect(Box(side: 3).frame.width == 3)
        #expect((makeObject(of: Card.self as UIView.Type) as? Card)?.list == [1, 2])
        #expect((makeObject(of: OwnLayer.self as CALayer.Type) as? OwnLayer)?.list == [4])
        #expect((makeObject(of: ByStyle.self as UIViewController.Type) as? ByStyle)?.list == [5])
        // A storyboard's way.
        let type: UIView.Type = Card.self
        #expect((type.init(coder: NSKeyedArchiver(requiringSecureCoding: false)) as? Card)?.list == [3])
    }

    @Test @MainActor func ofAGenericParameter() {
        func make<Controller: UIViewController>(_ type: Controller.Type) -> Controller { _new(Controller.self) }
        #expect(make(HidingController.self).made == "plain" && make(ConvenientController.self).made == "own")
        #expect(type(of: make(UITableViewController.self)) == UITableViewController.self)
    }
}
