// AssociatedObjects: values that sources attach to an object, as Objective-C's runtime has them.

internal import Foundation
import Locks

/// The ways in which a value is kept: strongly, except with `OBJC_ASSOCIATION_ASSIGN`.
public enum objc_AssociationPolicy: UInt, Sendable {
    /// The value is not retained.
    case OBJC_ASSOCIATION_ASSIGN = 0
    /// The value is retained.
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    /// The value is retained, and not copied.
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    /// The value is retained.
    case OBJC_ASSOCIATION_RETAIN = 769
    /// The value is retained, and not copied.
    case OBJC_ASSOCIATION_COPY = 771
}

// Unchecked: the values go where the author sends them; the table has a lock.
/// The values of all objects. Those of an object that is gone leave with a later change: nothing reports its end.
private final class AssociatedObjects: @unchecked Sendable {
    private final class Entry {
        weak var owner: AnyObject?
        var values: [UnsafeRawPointer: Any] = [:]
        init(_ owner: AnyObject) { self.owner = owner }
    }
    private struct Table: @unchecked Sendable {
        var entries: [ObjectIdentifier: Entry] = [:]
        var sweepAt = 64
    }

    static let shared = AssociatedObjects()
    private let table = Mutex(Table())

    func value(_ object: AnyObject, _ key: UnsafeRawPointer) -> Any? {
        nonisolated(unsafe) let object = object
        nonisolated(unsafe) var found: Any?
        table.withLock { table in
            // Another object may have the address of one that is gone.
            if let entry = table.entries[ObjectIdentifier(object)], entry.owner === object { found = entry.values[key] }
        }
        return found
    }

    func set(_ object: AnyObject, _ key: UnsafeRawPointer?, _ value: Any?) {
        nonisolated(unsafe) let (object, value) = (object, value)
        // Ended after the lock: the end of a value may set others.
        nonisolated(unsafe) var dropped: [Entry?] = []
        nonisolated(unsafe) var (old, owners): (Any?, [AnyObject?]) = (nil, [])
        table.withLock { table in
            let identifier = ObjectIdentifier(object)
            var entry = table.entries[identifier]
            if entry?.owner !== object {
                dropped.append(entry)
                entry = Entry(object)
            }
            if let key {
                old = entry?.values[key]
                entry?.values[key] = value
            } else {
                dropped.append(entry)
                entry = nil
            }
            table.entries[identifier] = entry?.values.isEmpty == false ? entry : nil
            guard table.entries.count >= table.sweepAt else { return }
            for (identifier, entry) in table.entries {
                // Loaded, an owner is kept: it may be the last reference, and its end must not come under the lock.
                let owner = entry.owner
                owners.append(owner)
                guard owner == nil else { continue }
                dropped.append(entry)
                table.entries[identifier] = nil
            }
            table.sweepAt = max(64, table.entries.count * 2)
        }
        withExtendedLifetime((dropped, old, owners)) {}
    }
}

/// Returns the value that is attached to an object by a key; nil without one. Safe to use from any thread.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    let value = AssociatedObjects.shared.value(object as AnyObject, key)
    return (value as? WeakValue)?.value ?? (value is WeakValue ? nil : value)
}

/// Attaches a value to an object. Nil removes it. Safe to use from any thread.
///
/// - Parameters:
///   - object: an object of a class.
///   - key: an address that only the caller uses.
///   - value: the value.
///   - policy: `OBJC_ASSOCIATION_ASSIGN` does not keep an object, which becomes nil when it is gone (ours). A value
///     that is no object is kept. No policy copies the value.
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    var kept = value
    if policy == .OBJC_ASSOCIATION_ASSIGN, let value, type(of: value) is AnyClass {
        kept = WeakValue(value as AnyObject)
    }
    AssociatedObjects.shared.set(object as AnyObject, key, kept)
}

/// Removes all values of an object.
public func objc_removeAssociatedObjects(_ object: Any) {
    AssociatedObjects.shared.set(object as AnyObject, nil, nil)
}

private final class WeakValue {
    weak var value: AnyObject?
    init(_ value: AnyObject) { self.value = value }
}
