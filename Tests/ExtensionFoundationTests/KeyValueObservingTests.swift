// KeyValueObservingTests: changes that observers see, with tables as the source step writes them.

import ExtensionFoundation
import Foundation
import Testing

@Suite struct KeyValueObservingTests {
    @Test func aHandlerGetsWhatItsOptionsName() {
        let (object, log) = (Counter(), Log())
        let plain = object.observe(\.count) { log.add("plain", $0.count, $1.oldValue, $1.newValue, $1.isPrior) }
        let full = object.observe(\.count, options: [.old, .new, .prior, .initial]) {
            log.add("full", $0.count, $1.oldValue, $1.newValue, $1.isPrior)
        }
        object.count = 1
        plain.invalidate()
        object.count += 1
        #expect(
            log.lines == [
                "full 0 nil 0 false", "full 0 0 nil true", "plain 1 nil nil false", "full 1 0 1 false",
                "full 1 1 nil true", "full 2 1 2 false",
            ])
        withExtendedLifetime(full) {}
    }

    @Test func anObservationEndsWithItsObject() {
        let (object, other, log) = (Counter(), Counter(), Log())
        var observation: NSKeyValueObservation? = object.observe(\.count) { object, _ in
            log.add("one", object.count, nil, nil, false)
        }
        other.count = 1
        object.count = 2
        #expect(observation != nil)
        observation = nil
        object.count = 3
        #expect(log.lines == ["one 2 nil nil false"])
        weak var weakObject: Counter?
        do {
            let short = Counter()
            weakObject = short
            observation = short.observe(\.count) { _, _ in }
        }
        #expect(weakObject == nil)
    }

    @Test func anAuthorMayReportChanges() {
        let (object, log) = (Counter(), Log())
        let observation = object.observe(\.count, options: .old) { log.add("n", $0.count, $1.oldValue, nil, false) }
        object.willChangeValue(forKey: "count")
        object.didChangeValue(forKey: "count")
        object.willChangeValue(for: \.count)
        object.didChangeValue(for: \.count)
        #expect(log.lines == ["n 0 0 nil false", "n 0 0 nil false"])
        withExtendedLifetime(observation) {}
    }

    /// A handler that changes the property gets its own change, too.
    @Test func aHandlerMayMakeAnotherChange() {
        let (object, log) = (Counter(), Log())
        let observation = object.observe(\.count, options: [.old, .new]) {
            if $0.count < 3 { $0.count += 1 }
            log.add("n", $0.count, $1.oldValue, $1.newValue, false)
        }
        object.count = 2
        #expect(log.lines == ["n 3 2 3 false", "n 3 0 2 false"])
        withExtendedLifetime(observation) {}
    }

    @Test func sharedDefaultsReportTheChangesOfAKey() throws {
        let (defaults, log) = (try #require(PostingDefaults(suiteName: "observed" as String?)), Log())
        let observation = defaults.observe(\.order, options: [.old, .new]) { _, change in
            log.lines.append("\(change.oldValue! ?? "none") \(change.newValue! ?? "none")")
        }
        defaults.set("soup", forKey: "order")
        defaults.set("soup", forKey: "order")
        defaults.set(1, forKey: "other")
        defaults.removeObject(forKey: "order")
        #expect(log.lines == ["none soup", "soup none"])
        withExtendedLifetime(observation) {}
    }

    /// The first call comes after the registration: the handler may make a change.
    @Test func theInitialHandlerMayMakeAChange() {
        let (object, log) = (Counter(), Log())
        let observation = object.observe(\.count, options: [.initial, .old, .new]) {
            log.add("n", $0.count, $1.oldValue, $1.newValue, false)
            if $0.count == 0 { $0.count = 1 }
        }
        #expect(log.lines == ["n 0 nil 0 false", "n 1 0 1 false"])
        withExtendedLifetime(observation) {}
    }

    /// As the step leaves an extension of UserDefaults, and as an author may report a change by hand.
    @Test func aSetterOfSharedDefaultsReportsOnce() throws {
        let log = Log()
        let defaults: UserDefaults = try #require(PostingDefaults(suiteName: "observed" as String?))
        let observation = defaults.observe(\.size, options: [.old, .new]) { _, change in
            log.lines.append("\(change.oldValue ?? -1) \(change.newValue ?? -1)")
            if change.newValue == 2 { defaults.size = 3 }
        }
        defaults.size = 1
        defaults.willChangeValue(forKey: "size")
        defaults.size = 2
        defaults.didChangeValue(forKey: "size")
        #expect(log.lines == ["0 1", "1 2", "2 3"])
        withExtendedLifetime(observation) {}
    }

    // not simulated: N-290
    @Test func aPropertyThatNobodyReportsIsToldOnce() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for _ in 0..<2 { _ = Counter().observe(\.unseen, options: .initial) { _, change in print(change.kind) } }
            exit(0)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.components(separatedBy: "(docs/not-simulated.md, N-290)").count == 2)
    }
}

private final class Log {
    var lines: [String] = []
    func add(_ name: String, _ value: Int, _ old: Int?, _ new: Int?, _ isPrior: Bool) {
        func text(_ value: Int?) -> String { value.map(String.init) ?? "nil" }
        lines.append("\(name) \(value) \(text(old)) \(text(new)) \(isPrior)")
    }
}

final class Counter: NSObject {
    var count = 0 {
        willSet { _willChange(self, "count") }
        didSet { _didChange(self, "count") }
    }
    var unseen = 0
}

final class __Methods_Counter: _MethodTable {
    static var methods: [_Method] { [_Method("@Counter.count") { _, _ in \Counter.count as AnyKeyPath }] }
}

/// Defaults that post each change, as those of a group do.
final class PostingDefaults: UserDefaults {
    private var values: [String: Any] = [:]
    override func object(forKey defaultName: String) -> Any? { values[defaultName] }
    override func string(forKey defaultName: String) -> String? { values[defaultName] as? String }
    override func set(_ value: Any?, forKey defaultName: String) {
        values[defaultName] = value
        NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
    }
    override func removeObject(forKey defaultName: String) { set(nil as Any?, forKey: defaultName) }
}

extension UserDefaults {
    var order: String? { string(forKey: "order") }
    var size: Int {
        get { object(forKey: "size") as? Int ?? 0 }
        set { set(newValue as Any?, forKey: "size") }
    }
}

final class __Methods_UserDefaults: _MethodTable {
    static var methods: [_Method] {
        [
            _Method("@UserDefaults.order") { _, _ in \UserDefaults.order as AnyKeyPath },
            _Method("@UserDefaults.size") { _, _ in \UserDefaults.size as AnyKeyPath },
            _Method("@PostingDefaults.order") { _, _ in \PostingDefaults.order as AnyKeyPath },
        ]
    }
}
