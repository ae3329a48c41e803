// Discovery: the thread that finds extensions, watches for changes and stores orders; it sends snapshots to the loop.

public import ExtensionPoints
public import ExtensionProtocol
import Glibc
import LinuxSystem
import Locks

/// The search for extensions, on a thread of its own.
///
/// All methods may be called on any thread and return at once. Results come through `deliver` and the answers, both on
/// its own thread. A delivery comes before the answer to the order that caused it.
public final class Discovery: Sendable {
    public struct Settings: Sendable {
        /// The folders that are searched for applications, in order.
        public var folders: [String]
        /// The folder that stores elections and registrations; nil to store nothing.
        public var state: String?
        /// The extension points, which say whether they take activation rules.
        public var points: PointTable
        /// Whether a bundle that users other than root could change is disabled (`BundleTrust`).
        public var wantsTrust = false
        /// The folder of all containers, or nil without one. A bundle that is reached through it is disabled.
        public var containers: String?
        /// The platform whose version decides which bundles run; nil: each does.
        public var profile: PlatformProfile?
        /// The time without changes after which the folders are scanned again, in milliseconds of real time.
        ///
        /// `patience` is the longest time that continuing changes can delay the scan, in the same unit.
        public var rest = 100
        public var patience = 1000
        /// Whether watching and the writing of the index wait for a call of `watch`. Otherwise both follow the first
        /// scan.
        public var waitsToWatch = false

        public init(folders: [String], state: String?, points: PointTable = PointTable()) {
            self.points = points
            self.folders = folders
            self.state = state
        }
    }

    /// A new snapshot of the registry, with what changed.
    public struct Delivery: Sendable {
        public var registry: ExtensionRegistry
        /// The changes since the previous delivery; empty in the first one.
        public var change: RegistryChange
        /// Messages for the log: what keeps the registry from seeing or storing something, with its remedy.
        public var notices: [String]
        /// The reason why nothing is stored on disk, if it should be.
        public var stateProblem: ExtensionHostError?
        /// The way in which changes are detected from now on.
        public var watching: Watching
        /// The stored consents and annotations; in the first delivery only.
        public var values: [StoredValues.Owner: StoredValues]?
    }

    /// The ways in which the folders are watched.
    public enum Watching: String, Sendable, Hashable {
        /// Watching has not begun: the first scan comes before it.
        case starting
        /// The kernel reports every change.
        case inotify
        /// The kernel reports changes in some folders only: it watches no more of them for this user.
        case partly
        /// The folders are polled each second.
        case looking
    }

    public typealias Answer = @Sendable (Result<[RegisteredCopy], ExtensionHostError>) -> Void

    /// An answer without copies: nil, or the error.
    public typealias StoreAnswer = @Sendable (ExtensionHostError?) -> Void

    enum Order {
        case add(String, Answer)
        case remove(String, Answer)
        case elect(String, Election, Answer)
        case store(StoredValues, StoredValues.Owner, StoreAnswer)
        case run(on: PlatformProfile?)
        case watch
        case stop
    }

    /// The queue of orders for the thread.
    final class Inbox: Sendable {
        let wake: WakeDescriptor
        private let orders = Mutex<[Order]>([])

        init() throws(SystemError) { wake = try WakeDescriptor() }

        func put(_ order: sending Order) {
            orders.withLock { [order] in $0.append(order) }
            wake.signal()
        }

        func take() -> [Order] {
            orders.withLock { orders in
                defer { orders = [] }
                return orders
            }
        }
    }

    private let inbox: Inbox

    /// Starts the thread. The first delivery comes after the first scan of the folders.
    public init(_ settings: Settings, deliver: @escaping @Sendable (Delivery) -> Void) throws {
        let inbox = try Inbox()
        self.inbox = inbox
        try startThread(named: "exthost-found") { DiscoveryThread(settings, inbox, deliver).run() }
    }

    deinit { inbox.put(.stop) }

    /// Starts watching, if the settings made it wait. Call it once, after the clients that waited for the first
    /// delivery are served.
    public func watch() { inbox.put(.watch) }

    /// Replaces the platform of the settings. A delivery follows if bundles are disabled or enabled by that.
    public func run(on profile: PlatformProfile?) { inbox.put(.run(on: profile)) }

    /// Registers an app or an `.appex` by its absolute path, wherever it lies, until it is removed.
    ///
    /// The answer has its extensions, including disabled ones. It fails with `noSuchExtension` if there is none, with
    /// `invalidArgument`, or with `stateUnavailable`.
    public func add(_ path: String, answer: @escaping Answer) { inbox.put(.add(path, answer)) }

    /// Removes an app or an `.appex` from the registry, by its path. The answer has the removed copies.
    ///
    /// One in a searched folder returns when it changes. The call fails with `noSuchExtension` or `stateUnavailable`.
    public func remove(_ path: String, answer: @escaping Answer) { inbox.put(.remove(path, answer)) }

    /// Stores the user's election for every copy of an extension. The answer has the copies, once the election is on
    /// disk.
    ///
    /// It fails with `noSuchExtension` or `stateUnavailable`; then nothing has changed.
    public func elect(_ election: Election, _ identifier: String, answer: @escaping Answer) {
        inbox.put(.elect(identifier, election, answer))
    }

    /// Stores the consents and annotations of an extension, in place of the earlier ones. The answer comes when they are
    /// on disk. It may be `stateUnavailable`; then the earlier ones are still stored.
    public func store(_ values: StoredValues, of owner: StoredValues.Owner, answer: @escaping StoreAnswer) {
        inbox.put(.store(values, owner, answer))
    }
}

/// The identifiers that were added, removed or changed, each list sorted by name.
public struct RegistryChange: Sendable, Hashable {
    public var added: [String] = []
    public var removed: [String] = []
    public var changed: [String] = []

    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }

    init() {}

    init(from old: ExtensionRegistry, to new: ExtensionRegistry) {
        let before = Dictionary(old.copies.map { ($0.bundle.path, $0) }) { $1 }
        var (came, went, other): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        for copy in new.copies {
            guard let known = before[copy.bundle.path], known.bundle.identifier == copy.bundle.identifier else {
                came.insert(copy.bundle.identifier)
                continue
            }
            if known != copy { other.insert(copy.bundle.identifier) }
        }
        let after = Dictionary(new.copies.map { ($0.bundle.path, $0.bundle.identifier) }) { $1 }
        for copy in old.copies where after[copy.bundle.path] != copy.bundle.identifier {
            went.insert(copy.bundle.identifier)
        }
        // An identifier whose other copy remains has changed, and so has one that moved.
        let both = came.intersection(went).union(came.filter { old[$0] != nil }).union(went.filter { new[$0] != nil })
        added = came.subtracting(both).sorted()
        removed = went.subtracting(both).sorted()
        changed = other.union(both).subtracting(added).sorted()
    }

    /// The changes in one line for people.
    public var description: String {
        [("added", added), ("removed", removed), ("changed", changed)].filter { !$0.1.isEmpty }
            .map { "\($0.0) \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
    }
}
