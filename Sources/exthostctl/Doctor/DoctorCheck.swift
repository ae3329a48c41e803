// DoctorCheck: every check of `doctor` by its stable code, with its purpose; docs/doctor.md lists them.

enum DoctorCheck: String, Sendable, CaseIterable {
    case daemon, daemonVersion, daemonProgram, initProgram
    case socket, runtimeFolder, temporaryFolder, temporaryLeftovers
    case stateFolder, stateSpace, stateDatabase, stateLeftovers
    case applicationFolders, bundles, identifiers, watching, inotify
    case bus
    case processStart, processNamespace, sealedMemory, controlGroup, landlock, seccomp, confinement, treeKill
    case descriptors, processes, clock

    /// The purpose of the check, in one line for people.
    var why: String {
        switch self {
        case .daemon: "hosts reach extensions through the daemon only"
        case .daemonVersion:
            "a daemon that was not restarted after an update goes on as it was, and newer tools ask what it does not know"
        case .daemonProgram: "tests and --ephemeral start it, and a service does"
        case .initProgram: "it confines extensions and holds their process trees together; without it none is launched"
        case .socket: "who may open the socket may launch extensions as this user"
        case .runtimeFolder: "the socket lies there: whoever else may write there can put another in its place"
        case .temporaryFolder: "files of items and private daemons lie there"
        case .temporaryLeftovers: "they take room, and belong to nobody any more"
        case .stateFolder: "elections and registrations are kept there"
        case .stateSpace: "an election that cannot be written is refused"
        case .stateDatabase: "elections and registrations are in it, and an index that spares each start the reading of bundles"
        case .stateLeftovers: "they hold elections that a damaged file lost"
        case .applicationFolders: "extensions are found there and nowhere else"
        case .bundles: "a bundle with faults is not offered, and cannot be run"
        case .identifiers: "of several copies one is used, and a change to another one shows nowhere"
        case .watching: "what comes or changes is noticed by it"
        case .inotify: "programs of one user share what the kernel gives for watching files"
        case .bus: "desktops learn of hosts' states and of requests over it; requests do without"
        case .processStart: "each extension is a process of its own, known by its descriptor"
        case .processNamespace: "in it no process escapes a kill"
        case .sealedMemory: "values over 32 KiB travel in it"
        case .controlGroup: "with one of its own a process tree can be limited and killed as a whole"
        case .landlock: "it keeps an extension from files that are not its own"
        case .seccomp: "it keeps an extension from calls that it does not need"
        case .confinement: "an extension that nothing confines reads and changes whatever its user may"
        case .treeKill: "what an extension started and a kill does not reach runs on"
        case .descriptors: "each host, each extension and each large value takes some"
        case .processes: "without room for one more no extension can be launched"
        case .clock: "whether a file has changed is told by its time"
        }
    }
}
