// TargetNotifications: notifications that call a method by its selector.

public import Foundation
import Synchronization

/// Who observes by selector, and the block observers that stand for each.
private final class TargetObservers: Sendable {
    private struct Observation: @unchecked Sendable {  // the observer is only compared, and read under the lock
        weak var observer: AnyObject?
        let center: NotificationCenter
        let name: NSNotification.Name?
        weak var object: AnyObject?
        let hasObject: Bool
        let token: any NSObjectProtocol
    }

    static let shared = TargetObservers()
    private let observations = Mutex<[Observation]>([])

    func add(
        _ observer: AnyObject, _ center: NotificationCenter, _ name: NSNotification.Name?, _ object: AnyObject?,
        _ token: any NSObjectProtocol
    ) {
        let entry = Observation(
            observer: observer, center: center, name: name, object: object, hasObject: object != nil, token: token)
        let gone = observations.withLock { all in
            let gone = all.filter { $0.observer == nil }
            all.removeAll { $0.observer == nil }
            all.append(entry)
            return gone
        }
        for entry in gone { entry.center.removeObserver(entry.token as Any) }
    }

    func remove(_ observer: AnyObject, _ center: NotificationCenter, name: NSNotification.Name? = nil, object: AnyObject? = nil) {
        let gone = observations.withLock { all in
            let isGone = { (entry: Observation) in
                entry.observer === observer && entry.center === center && (name == nil || entry.name == name)
                    && (object == nil || entry.hasObject && entry.object === object)
            }
            let gone = all.filter(isGone)
            all.removeAll(where: isGone)
            return gone
        }
        for entry in gone { center.removeObserver(entry.token as Any) }
    }
}

extension NotificationCenter {
    /// Calls the observer's method for each notification, on the thread that posts it. The observer is not kept alive, and needs
    /// not be removed, as on Apple's systems since iOS 9.
    ///
    /// - Parameters:
    ///   - observer: an object whose class has a table of methods (`Selector`).
    ///   - name: nil for every name.
    ///   - object: whose notifications; nil for all.
    public func addObserver(_ observer: Any, selector: Selector, name: NSNotification.Name?, object: Any?) {
        let target = observer as AnyObject
        nonisolated(unsafe) weak let weakTarget = target  // a weak reference may be read on any thread
        let token = addObserver(forName: name, object: object, queue: nil) { notification in
            if let target = weakTarget { SelectorCall.send(target, selector, notification) }
        }
        TargetObservers.shared.add(target, self, name, object.map { $0 as AnyObject }, token)
    }

    /// Ends all observations of an object. Observations by blocks are ended by their tokens, as before.
    public func removeObserver(_ observer: NSObject) {
        TargetObservers.shared.remove(observer, self)
        removeObserver(observer as Any)
    }

    /// Ends those of one name, of one object, or of both.
    public func removeObserver(_ observer: NSObject, name: NSNotification.Name?, object: Any?) {
        TargetObservers.shared.remove(observer, self, name: name, object: object.map { $0 as AnyObject })
    }
}
