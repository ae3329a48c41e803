// OpenSuites: the shared defaults that this process has opened.

internal import ExtensionWire
internal import Foundation
internal import Locks

/// The opened defaults: one object for each group, for as long as the process lives.
enum OpenSuites {
    /// The opened defaults of a group.
    ///
    /// Unchecked: the object's whole state is its store, which any thread may use. Foundation declares the class not
    /// sendable, because a subclass may not be.
    private struct Opened: @unchecked Sendable {
        let defaults: SharedDefaults
    }

    private static let opened = Mutex<[GroupIdentifier: Opened]>([:])

    /// Returns the defaults of a group; nil, after a line on standard error, for one that the process does not hold.
    static func defaults(of name: String) -> SharedDefaults? {
        switch HeldGroups.current.container(of: name) {
        case .success(let found): return defaults(of: found.group, in: found.path)
        case .failure(let refusal):
            HeldGroups.say(name, refusal)
            return nil
        }
    }

    private static func defaults(of group: GroupIdentifier, in container: String) -> SharedDefaults {
        let (suite, isNew) = opened.withLock { opened -> (Opened, Bool) in
            if let known = opened[group] { return (known, false) }
            let new = Opened(defaults: SharedDefaults(GroupStore(group, container: container)))
            opened[group] = new
            return (new, true)
        }
        if isNew {
            suite.defaults.store.prepare()
            StoreWatch.shared.watch(suite.defaults.store) { suite.defaults.announce() }
        }
        return suite.defaults
    }
}
