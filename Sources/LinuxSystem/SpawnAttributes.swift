// SpawnAttributes: everything about a process that is to be started, as one value.

/// What `spawn(_:)` needs to know. Nothing is inherited that is not said here: no descriptor, no environment, no signal mask.
public struct SpawnAttributes: Sendable {
    /// Where one of the three standard streams of the child comes from.
    public enum Stream: Sendable, Hashable {
        /// `/dev/null`, for reading and writing.
        case null
        /// A descriptor of the caller, which keeps it.
        case descriptor(Int32)
    }

    /// A descriptor the child gets, under the number it expects. The caller keeps its own.
    public struct Placement: Sendable, Hashable {
        /// The number in this process.
        public var parent: Int32
        /// The number in the child, 3 or more.
        public var child: Int32

        public init(parent: Int32, child: Int32) {
            self.parent = parent
            self.child = child
        }
    }

    /// What becomes of the child when the thread that spawned it ends, and so at the latest with the daemon.
    public enum DaemonExit: Sendable, Hashable {
        /// Killed by the kernel, through the parent-death signal (prctl(2)). It follows the *thread*: spawn from one that lasts.
        case terminate
        /// Left running, for a daemon that finds it again after a restart. In a pid namespace as long as somebody holds
        /// `SpawnedProcess.report`, be it a store of descriptors: once nobody does, all of it is killed.
        case keep
    }

    /// What holds the child's descendants together, so that they can be signalled and killed with it.
    public enum Enclosure: Sendable, Hashable {
        /// A session and process group of its own; a descendant that makes its own session leaves it.
        case session
        /// A pid namespace with a `/proc` of its own, whose first process is the program named here (`exthost-init`). None leaves it, and
        /// all die with it.
        /// Without root's rights, and for another user's program, a user namespace comes with it, in which ids stay what they are.
        case processNamespace(initProgram: String)
        /// A parent, the program named here (`exthost-init`), from below which no descendant gets out: it adopts orphans, and kills
        /// all when told to, or when the daemon dies. The child could kill it, as any process of its user.
        case guardian(program: String)
    }

    /// A limit of setrlimit(2).
    public struct ResourceLimit: Sendable, Hashable {
        /// `RLIMIT_NOFILE` and the like, as the number the kernel gives it.
        public var resource: Int32
        /// The limits in the resource's own unit; `UInt64.max` is no limit.
        public var soft: UInt64
        public var hard: UInt64

        public init(resource: Int32, soft: UInt64, hard: UInt64) {
            self.resource = resource
            self.soft = soft
            self.hard = hard
        }
    }

    /// The program's path, absolute or relative to `workingDirectory`; `PATH` is not searched. It is also the child's `argv[0]`.
    public var executable: String
    /// The arguments after `argv[0]`.
    public var arguments: [String]
    /// `NAME=VALUE` strings. What systemd told this process alone (`NOTIFY_SOCKET`, `WATCHDOG_*`, `LISTEN_*`) is left out.
    public var environment: [String]
    /// `nil`: the caller's.
    public var workingDirectory: String?
    public var standardInput = Stream.null
    public var standardOutput = Stream.null
    public var standardError = Stream.null
    /// What the child gets beyond its standard streams; every other descriptor is closed in it.
    public var descriptors: [Placement] = []
    public var onDaemonExit = DaemonExit.terminate
    public var enclosure = Enclosure.session
    public var limits: [ResourceLimit] = []
    /// Control groups that the child joins before it executes: descriptors of their `cgroup.procs`, open for writing; the caller's.
    public var controlGroups: [Int32] = []
    /// What the program may touch; `nil`: whatever its user may. Only in an enclosure by `exthost-init`, with namespaces among its layers only in a
    /// pid namespace. A layer that cannot be put on keeps the program from starting (`ExitStatus.notStarted`).
    public var confinement: Confinement?
    /// Who runs the program; `nil`: the caller's user. Another takes an enclosure by `exthost-init`, which becomes that user before anything else, and of the
    /// caller `CAP_SETUID` and `CAP_SETGID`.
    public var identity: UserIdentity?
    /// The file mode creation mask; `nil`: the caller's.
    public var fileModeMask: UInt32?

    public init(
        executable: String, arguments: [String] = [], environment: [String] = [], workingDirectory: String? = nil
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
    }
}

extension SpawnAttributes {
    /// The environment the child is given.
    var strippedEnvironment: [String] {
        environment.filter { entry in
            !(entry.hasPrefix("NOTIFY_SOCKET=") || entry.hasPrefix("WATCHDOG_") || entry.hasPrefix("LISTEN_"))
        }
    }

    /// All placements, standard streams included, in ascending order of the child's number; -1 stands for `/dev/null`.
    func allPlacements(adding extra: [Placement] = []) throws(SpawnError) -> [Placement] {
        var all: [Placement] = []
        all.reserveCapacity(descriptors.count + 4)
        for (number, stream) in [standardInput, standardOutput, standardError].enumerated() {
            switch stream {
            case .null: all.append(Placement(parent: -1, child: Int32(number)))
            case .descriptor(let raw): all.append(Placement(parent: raw, child: Int32(number)))
            }
        }
        all += descriptors
        all += extra
        all.sort { $0.child < $1.child }
        for (index, placement) in all.enumerated() where index > 0 {
            if placement.child == all[index - 1].child { throw .invalid("descriptor \(placement.child) is placed twice") }
        }
        let given = descriptors.allSatisfy { $0.parent >= 0 && $0.child > 2 }
        guard given, all[0].child == 0 else {
            throw .invalid("a placed descriptor must be open here, and 3 or more in the child")
        }
        return all
    }

    /// The lowest number from `number` on that no placement fills.
    func freeChildNumber(from number: Int32 = 3) -> Int32 {
        var number = number
        while descriptors.contains(where: { $0.child == number }) { number += 1 }
        return number
    }
}
