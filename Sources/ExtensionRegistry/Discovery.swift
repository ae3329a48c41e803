// Discovery: the thread that finds extensions, watches for changes and keeps what was ordered; the loop gets finished pictures.

public import ExtensionPoints
public import ExtensionProtocol
import Glibc
import LinuxSystem
import Locks

/// Finds extensions, off the loop. Its calls may be made on any thread and return at once; everything it has to say comes through
/// `deliver` and the answers, on its own thread, a delivery before the answer to the order that caused it.
public final class Discovery: Sendable {
    public struct Settings: Sendable {
        /// Searched for applications, in order.
        public var folders: [String]
        /// Where elections and registrations are kept; nil: nowhere.
        public var state: String?
        /// Which extension points take activation rules.
        public var points: PointTable
        /// Whether a bundle that others than root could change is disabled (`BundleTrust`).
        public var wantsTrust = false
        /// The folder of all containers: a bundle that is reached through it is disabled. Nil: there is none.
        public var containers: String?
        /// How long the folders are to have rested before they are walked anew, in milliseconds of real time, and how long that may be put
        /// off while they do not rest.
        public var rest = 100
        public var patience = 1000
        /// Whether it begins to watch, and writes its index, when `watch` is called and not as soon as it has walked once.
        public var waitsToWatch = false

        public init(folders: [String], state: String?, points: PointTable = PointTable()) {
            self.points = points
            self.folders = folders
            self.state = state
        }
    }

    /// What has become known.
    public struct Delivery: Sendable {
        public var registry: ExtensionRegistry
        /// Against the delivery before; nothing in the first.
        public var change: RegistryChange
        /// For the log: what keeps the registry from seeing or keeping something, with its remedy.
        public var notices: [String]
        /// Why nothing is kept on disk, if that is so though it should be.
        public var stateProblem: ExtensionHostError?
        /// How changes are learnt of from now on.
        public var watching: Watching
    }

    /// How the folders are watched.
    public enum Watching: String, Sendable, Hashable {
        /// Not yet: the first walk comes before it.
        case starting
        /// The kernel tells of every change.
        case inotify
        /// The kernel tells of changes in some folders: it watches no more of them for this user.
        case partly
        /// They are looked through each second.
        case looking
    }

    public typealias Answer = @Sendable (Result<[RegisteredCopy], ExtensionHostError>) -> Void

    enum Order {
        case add(String, Answer)
        case remove(String, Answer)
        case elect(String, Election, Answer)
        case watch
        case stop
    }

    /// What the thread is given.
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

    /// Starts the thread. The first delivery comes as soon as the folders have been walked once.
    public init(_ settings: Settings, deliver: @escaping @Sendable (Delivery) -> Void) throws {
        let inbox = try Inbox()
        self.inbox = inbox
        try startThread(named: "exthost-found") { DiscoveryThread(settings, inbox, deliver).run() }
    }

    deinit { inbox.put(.stop) }

    /// Lets one that waits for it begin to watch: when whoever waited for the first delivery has been served. Once.
    public func watch() { inbox.put(.watch) }

    /// Registers an app or an `.appex` by its absolute path, wherever it lies, until it is removed; answers with its extensions, disabled
    /// ones among them. Fails with `noSuchExtension` where there is none, `invalidArgument`, `stateUnavailable`.
    public func add(_ path: String, answer: @escaping Answer) { inbox.put(.add(path, answer)) }

    /// Takes an app or an `.appex` out of the registry, by its path; answers with what that was. One in a folder that is searched comes
    /// back when it changes. Fails with `noSuchExtension`, `stateUnavailable`.
    public func remove(_ path: String, answer: @escaping Answer) { inbox.put(.remove(path, answer)) }

    /// Keeps the user's word on every copy of an extension; answers with these, once it is on the disk. Fails with `noSuchExtension`,
    /// `stateUnavailable`; nothing has changed then.
    public func elect(_ election: Election, _ identifier: String, answer: @escaping Answer) {
        inbox.put(.elect(identifier, election, answer))
    }
}

/// The identifiers that came, went, or are not what they were; each in the order of names.
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
        for copy in old.copies where after[copy.bundle.path] != copy.bundle.identifier { went.insert(copy.bundle.identifier) }
        // One that is still there in another copy has changed; so has one that moved.
        let both = came.intersection(went).union(came.filter { old[$0] != nil }).union(went.filter { new[$0] != nil })
        added = came.subtracting(both).sorted()
        removed = went.subtracting(both).sorted()
        changed = other.union(both).subtracting(added).sorted()
    }

    /// One line for people.
    public var description: String {
        [("added", added), ("removed", removed), ("changed", changed)].filter { !$0.1.isEmpty }
            .map { "\($0.0) \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
    }
}
