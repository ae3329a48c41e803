// KeyValueObserving: handlers for changes of properties, which the source step's observers report.

public import Foundation
import LinuxDescriptors
import Locks

/// The facts that a handler of changes gets, and the times at which it is called.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt
    /// Options by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The value after the change.
    public static let new = Self(rawValue: 1 << 0)
    /// The value before the change.
    public static let old = Self(rawValue: 1 << 1)
    /// A first call, before `observe` returns.
    public static let initial = Self(rawValue: 1 << 2)
    /// A further call before each change. Shared defaults have none.
    public static let prior = Self(rawValue: 1 << 3)
}

/// The kind of a change. Only `setting` occurs here.
public enum NSKeyValueChange: UInt, Sendable {
    /// The property has another value.
    case setting = 1
    /// Elements were inserted.
    case insertion
    /// Elements were removed.
    case removal
    /// Elements were replaced.
    case replacement
}

/// A change of a property.
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a change.
    public typealias Kind = NSKeyValueChange
    /// The kind of this change.
    public let kind: Kind
    /// The value after the change, if the options have `new`.
    public let newValue: Value?
    /// The value before the change, if the options have `old`.
    public let oldValue: Value?
    /// The indexes of the changed elements: always nil.
    public let indexes: IndexSet?
    /// Whether the change is still to come.
    public let isPrior: Bool
}

/// The observation of a property: it ends with this object, with the observed object, or by `invalidate()`.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {  // `lock` guards all that changes
    /// `restart` is `capture` without the values of earlier changes, and `replaced` is `changed` with a `restart`.
    enum Step { case capture, restart, prior, changed, replaced }

    private let lock = NSLock()
    private weak var object: NSObject?
    private var report: ((NSObject, Step) -> Void)?
    private var token: (any NSObjectProtocol)?
    private let address: ObjectIdentifier

    init(_ object: NSObject, _ report: @escaping (NSObject, Step) -> Void) {
        (self.object, self.report, address) = (object, report, ObjectIdentifier(object))
    }

    deinit { invalidate() }

    /// Ends the observation. Any thread; a handler that runs meanwhile on another thread comes to its end.
    public func invalidate() {
        let (report, token) = lock.withLock {
            defer { (self.report, self.token) = (nil, nil) }
            return (self.report, self.token)
        }
        guard report != nil else { return }
        Observers.remove(self, address)
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    /// Calls the handler's steps, if this is the observed object.
    func take(_ changed: AnyObject, _ steps: Step...) {
        let (object, report) = lock.withLock { (self.object, self.report) }
        guard let object, object === changed else { return }
        for step in steps { report?(object, step) }
    }

    /// Begins with the changes of a property of this name.
    func begin(_ key: String) {
        guard let defaults = lock.withLock({ self.object }) as? UserDefaults else {
            return Observers.add(self, address, key)
        }
        // Another process may change them, too: each change of any key reads this one.
        let last = Mutex<KeyedValue?>(nil)
        take(defaults, .restart)
        let token = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
        ) { [weak self] _ in
            guard let self, let defaults = lock.withLock({ self.object }) as? UserDefaults else { return }
            let value = KeyedValue(defaults, key)
            let isNew = last.withLock { last in
                defer { last = value }
                return last.map { $0.value != value.value } ?? false
            }
            if isNew { take(defaults, .replaced) }
        }
        lock.withLock { self.token = token }
        // A change on another thread may have come before.
        let value = KeyedValue(defaults, key)
        last.withLock { $0 = $0 ?? value }
        take(defaults, .restart)
    }

    private struct KeyedValue: @unchecked Sendable {  // an immutable value of a property list
        let value: AnyHashable?
        init(_ defaults: UserDefaults, _ key: String) { value = defaults.object(forKey: key) as? AnyHashable }
    }
}

/// The observations of all objects, by the observed object's address and the property's name.
private enum Observers {
    private struct Observer {
        let id: ObjectIdentifier
        weak var observation: NSKeyValueObservation?
    }

    private static let all = Mutex<[ObjectIdentifier: [String: [Observer]]]>([:])

    static func add(_ observation: NSKeyValueObservation, _ address: ObjectIdentifier, _ key: String) {
        let observer = Observer(id: ObjectIdentifier(observation), observation: observation)
        all.withLock { $0[address, default: [:]][key, default: []].append(observer) }
    }

    /// No reference is loaded under the lock: its release could be the last.
    static func remove(_ observation: NSKeyValueObservation, _ address: ObjectIdentifier) {
        let id = ObjectIdentifier(observation)
        all.withLock { all in
            let left = all[address]?.mapValues { $0.filter { $0.id != id } }.filter { !$0.value.isEmpty }
            all[address] = left?.isEmpty == true ? nil : left
        }
    }

    static func report(_ object: AnyObject, _ key: String, _ steps: NSKeyValueObservation.Step...) {
        let found = all.withLock { $0[ObjectIdentifier(object)]?[key] ?? [] }
        for observer in found {
            for step in steps { observer.observation?.take(object, step) }
        }
    }
}

/// Reports that a property is about to change: not for use. The source step writes the call.
public func _willChange(_ object: AnyObject, _ key: String) { Observers.report(object, key, .capture, .prior) }

/// Reports that a property has changed: not for use. The source step writes the call.
public func _didChange(_ object: AnyObject, _ key: String) { Observers.report(object, key, .changed) }

extension NSObject {
    /// Reports that a property is about to change. Each call needs one of `didChangeValue(forKey:)` after it.
    @_disfavoredOverload public final func willChangeValue(forKey key: String) { _willChange(self, key) }

    /// Reports that a property has changed.
    @_disfavoredOverload public final func didChangeValue(forKey key: String) { _didChange(self, key) }
}

/// An object whose properties can be observed: each `NSObject`.
public protocol _KeyValueCodingAndObserving {}

extension NSObject: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving where Self: NSObject {
    /// Calls a handler after each change of a property, on the thread that makes the change.
    ///
    /// Changes of the settable `@objc dynamic` properties of authors' classes are seen, through the source step, and
    /// those of an app group's shared defaults. Others are not, such as those of the kit's own properties: one line on
    /// standard error says so.
    ///
    /// - Parameters:
    ///   - keyPath: one property of the object.
    ///   - options: the values that the handler gets.
    ///   - _file: the source file; callers omit it.
    ///   - changeHandler: the handler. The observation keeps it.
    /// - Returns: the observation, which ends when it is released.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [], _file: StaticString = #fileID,
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let former = FormerValues<Value>()
        let observation = NSKeyValueObservation(self) { object, step in
            let object = unsafeDowncast(object, to: Self.self)
            switch step {
            case .capture: if options.contains(.old) { former.push(object[keyPath: keyPath]) }
            case .restart: if options.contains(.old) { former.restart(object[keyPath: keyPath]) }
            case .prior:
                guard options.contains(.prior) else { return }
                changeHandler(object, Self.change(old: former.last, isPrior: true))
            case .changed, .replaced:
                let (old, new) = (former.pop(), options.contains(.new) ? object[keyPath: keyPath] : nil)
                // Before the handler, which may make another change.
                if step == .replaced, options.contains(.old) { former.restart(object[keyPath: keyPath]) }
                changeHandler(object, Self.change(new: new, old: old))
            }
        }
        // Foundation's own defaults post no changes, and those of a group, a subclass, do.
        if type(of: self as NSObject) != UserDefaults.self,
            let key = MethodTables.property(keyPath, of: type(of: self), _file)
        {
            observation.begin(key)
        } else {
            Unsupported.keyValueObserving.tell()
        }
        // After the registration: the handler may make a change.
        if options.contains(.initial) {
            changeHandler(self, Self.change(new: options.contains(.new) ? self[keyPath: keyPath] : nil))
        }
        return observation
    }

    private static func change<Value>(
        new: Value? = nil, old: Value? = nil, isPrior: Bool = false
    ) -> NSKeyValueObservedChange<Value> {
        NSKeyValueObservedChange(kind: .setting, newValue: new, oldValue: old, indexes: nil, isPrior: isPrior)
    }

    /// Reports that a property is about to change. Each call needs one of `didChangeValue(for:)` after it.
    @_disfavoredOverload public func willChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>, _file: StaticString = #fileID
    ) {
        if let key = MethodTables.property(keyPath, of: type(of: self), _file) { _willChange(self, key) }
    }

    /// Reports that a property has changed.
    @_disfavoredOverload public func didChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>, _file: StaticString = #fileID
    ) {
        if let key = MethodTables.property(keyPath, of: type(of: self), _file) { _didChange(self, key) }
    }
}

/// The values before changes that are under way: a handler may make another change.
private final class FormerValues<Value>: @unchecked Sendable {  // `lock` guards the values
    private let lock = NSLock()
    private var values: [Value] = []
    var last: Value? { lock.withLock { values.last } }
    func restart(_ value: Value) { lock.withLock { values = [value] } }
    func push(_ value: Value) { lock.withLock { values.append(value) } }
    func pop() -> Value? { lock.withLock { values.popLast() } }
}
