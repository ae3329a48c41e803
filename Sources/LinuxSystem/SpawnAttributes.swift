// SpawnAttributes: the attributes of a process to start, as one value.

/// The attributes for `spawn(_:)`.
///
/// The child inherits nothing that is not given here: no descriptor, environment or signal mask.
public struct SpawnAttributes: Sendable {
    /// The source or target of one of the three standard streams of the child.
    public enum Stream: Sendable, Hashable {
        /// `/dev/null`, for reading and writing.
        case null
        /// A descriptor of the caller, who still owns it.
        case descriptor(Int32)
    }

    /// A descriptor that the child gets, under the number that it expects. The caller keeps its own.
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

    /// The fate of the child when the thread that spawned it ends, and so at the latest when the daemon does.
    public enum DaemonExit: Sendable, Hashable {
        /// The kernel kills it, through the parent-death signal (prctl(2)).
        ///
        /// The signal follows the *thread*: spawn from one that lasts.
        case terminate
        /// The child stays running, for a daemon that adopts it after a restart.
        ///
        /// In a pid namespace it runs as long as some process, even a store of descriptors, holds
        /// `SpawnedProcess.report`. After that, all of it is killed.
        case keep
    }

    /// The mechanism that encloses the child's descendants, so that they can be signalled and killed with it.
    public enum Enclosure: Sendable, Hashable {
        /// The child's own session and process group; a descendant that makes its own session leaves it.
        case session
        /// A pid namespace with its own `/proc`, whose first process is the named program (`exthost-init`).
        ///
        /// No process leaves it, and all die with it. Without root's rights, and for another user's program, it has a
        /// user namespace, in which ids stay the same.
        case processNamespace(initProgram: String)
        /// A parent, the named program (`exthost-init`), from below which no descendant escapes.
        ///
        /// It adopts orphans, and kills all on demand, or when the daemon dies. The child could kill it, as can any
        /// process of its user.
        case guardian(program: String)
    }

    /// A limit of setrlimit(2).
    public struct ResourceLimit: Sendable, Hashable {
        /// The resource, `RLIMIT_NOFILE` and the like, as the kernel's number.
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

    /// The program's path, absolute or relative to `workingDirectory`; `PATH` is not searched.
    ///
    /// It is also the child's `argv[0]`.
    public var executable: String
    /// The arguments after `argv[0]`.
    public var arguments: [String]
    /// The variables as `NAME=VALUE`.
    ///
    /// The child does not get systemd's variables for this process (`NOTIFY_SOCKET`, `WATCHDOG_*`, `LISTEN_*`).
    public var environment: [String]
    /// The working directory of the child; `nil`: the caller's.
    public var workingDirectory: String?
    public var standardInput = Stream.null
    public var standardOutput = Stream.null
    public var standardError = Stream.null
    /// The descriptors that the child gets beyond its standard streams; all others are closed in it.
    public var descriptors: [Placement] = []
    public var onDaemonExit = DaemonExit.terminate
    public var enclosure = Enclosure.session
    public var limits: [ResourceLimit] = []
    /// The control groups that the child joins before it executes: descriptors of their `cgroup.procs`, open for
    /// writing; the caller's.
    public var controlGroups: [Int32] = []
    /// The confinement of the program; `nil`: none beyond its user's rights.
    ///
    /// It needs an enclosure by `exthost-init`; namespaces among its layers need a pid namespace. A layer that cannot
    /// be applied prevents the program's start (`ExitStatus.notStarted`).
    public var confinement: Confinement?
    /// The user who runs the program; `nil`: the caller's user.
    ///
    /// Another user needs an enclosure by `exthost-init`, which becomes that user before anything else, and the
    /// caller's `CAP_SETUID` and `CAP_SETGID`.
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
    /// The environment that the child gets.
    var strippedEnvironment: [String] {
        environment.filter { entry in
            !(entry.hasPrefix("NOTIFY_SOCKET=") || entry.hasPrefix("WATCHDOG_") || entry.hasPrefix("LISTEN_"))
        }
    }

    /// Returns all placements with the standard streams, in ascending order of the child's number; -1 stands for
    /// `/dev/null`.
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
            if placement.child == all[index - 1].child {
                throw .invalid("descriptor \(placement.child) is placed twice")
            }
        }
        let given = descriptors.allSatisfy { $0.parent >= 0 && $0.child > 2 }
        guard given, all[0].child == 0 else {
            throw .invalid("a placed descriptor must be open here, and 3 or more in the child")
        }
        return all
    }

    /// Returns the lowest number from `number` on that no placement uses.
    func freeChildNumber(from number: Int32 = 3) -> Int32 {
        var number = number
        while descriptors.contains(where: { $0.child == number }) { number += 1 }
        return number
    }
}
