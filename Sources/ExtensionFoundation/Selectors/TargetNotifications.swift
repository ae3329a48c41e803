// TargetNotifications: notifications that call a method by its selector.

public import Foundation
import Locks

/// The observers by selector, each with the block observer that stands for it.
private final class TargetObservers: Sendable {
    private struct Observation: @unchecked Sendable {  // the observer is only compared, and read under the lock
        weak var observer: AnyObject?
        let center: NotificationCenter
        let name: NSNotification.Name?
        weak var object: AnyObject?
        let hasObject: Bool
        let token: any NSObjectProtocol
    }

    /// References that are released later, after the lock.
    private struct Held: @unchecked Sendable {  // never read
        let references: Any
        init(_ references: Any) { self.references = references }
    }

    static let shared = TargetObservers()
    private let observations = Mutex<[Observation]>([])

    func add(
        _ observer: AnyObject, _ center: NotificationCenter, _ name: NSNotification.Name?, _ object: AnyObject?,
        _ token: any NSObjectProtocol
    ) {
        let entry = Observation(
            observer: observer, center: center, name: name, object: object, hasObject: object != nil, token: token)
        // The observer is retained until the lock is released: its deinitializer may remove an observer.
        let (gone, _) = observations.withLock { all in
            let held = all.map(\.observer)
            let gone = zip(all, held).filter { $1 == nil }.map(\.0)
            all = zip(all, held).filter { $1 != nil }.map(\.0) + [entry]
            return (gone, Held(held))
        }
        for entry in gone { entry.center.removeObserver(entry.token as Any) }
    }

    func remove(
        _ observer: AnyObject, _ center: NotificationCenter, name: NSNotification.Name? = nil, object: AnyObject? = nil
    ) {
        let (gone, _) = observations.withLock { all in
            var gone: [Observation] = []
            var left: [Observation] = []
            let held = all.map { ($0.observer, $0.object) }
            for (entry, (own, sender)) in zip(all, held) {
                let isMeant =
                    own === observer && entry.center === center && (name == nil || entry.name == name)
                    && (object == nil || entry.hasObject && sender === object)
                if isMeant { gone.append(entry) } else { left.append(entry) }
            }
            all = left
            return (gone, Held(held))
        }
        for entry in gone { center.removeObserver(entry.token as Any) }
    }
}

extension NotificationCenter {
    /// Calls the observer's method for each notification, on the thread that posts it.
    ///
    /// The observer is not kept alive, and need not be removed, as on Apple's systems since iOS 9.
    ///
    /// - Parameters:
    ///   - observer: an object whose class has a table of methods (`Selector`).
    ///   - selector: the method, with one argument or none.
    ///   - name: the name of the notifications; nil for every name.
    ///   - object: the sender of the notifications; nil for all.
    public func addObserver(_ observer: Any, selector: Selector, name: NSNotification.Name?, object: Any?) {
        let target = observer as AnyObject
        let wanted = object.map { $0 as AnyObject }
        let hasObject = wanted != nil
        // Foundation would retain the object, which may be the observer. A weak reference may be read on any thread.
        nonisolated(unsafe) weak let weakTarget = target
        nonisolated(unsafe) weak let weakObject = wanted
        let token = addObserver(forName: name, object: nil, queue: nil) { notification in
            if hasObject {
                guard let wanted = weakObject, notification.object.map({ $0 as AnyObject }) === wanted else { return }
            }
            if let target = weakTarget { SelectorCall.send(target, selector, notification) }
        }
        TargetObservers.shared.add(target, self, name, wanted, token)
    }

    /// Ends all observations of an object. Observations by blocks are ended by their tokens.
    public func removeObserver(_ observer: AnyObject) {
        TargetObservers.shared.remove(observer, self)
        removeObserver(observer as Any)
    }

    /// Ends the observations of one name, of one object, or of both.
    public func removeObserver(_ observer: AnyObject, name: NSNotification.Name?, object: Any?) {
        TargetObservers.shared.remove(observer, self, name: name, object: object.map { $0 as AnyObject })
    }
}
