// DoctorCheck: every check of `doctor` by its stable code, with its purpose; docs/doctor.md lists them.

enum DoctorCheck: String, Sendable, CaseIterable {
    case daemon, daemonVersion, daemonProgram, initProgram
    case socket, runtimeFolder, temporaryFolder, temporaryLeftovers
    case stateFolder, stateSpace, stateDatabase, stateLeftovers
    case applicationFolders, bundles, identifiers, watching, inotify
    case bus
    case processStart, processNamespace, sealedMemory, controlGroup, landlock, seccomp, confinement, treeKill
    case descriptors, processes, clock
    case imageCodecs, pageEngines

    /// The purpose of the check, in one line for people.
    var why: String {
        switch self {
        case .daemon: "hosts reach extensions only through the daemon"
        case .daemonVersion:
            "a daemon that was not restarted after an update runs the old version, and may not know the requests of newer tools"
        case .daemonProgram: "tests, --ephemeral and the service start it"
        case .initProgram:
            "it confines extensions and contains their process trees; without it the daemon launches none"
        case .socket: "a user who can open the socket can launch extensions as this user"
        case .runtimeFolder: "the socket lies there: another user with write access can replace it"
        case .temporaryFolder: "files of items and private daemons lie there"
        case .temporaryLeftovers: "they use disk space, and no process uses them"
        case .stateFolder: "the daemon stores elections and registrations there"
        case .stateSpace: "the daemon refuses an election that it cannot write"
        case .stateDatabase:
            "it has elections, registrations, and an index, so that the daemon need not read all bundles at its start"
        case .stateLeftovers: "they have the elections that a damaged file lost"
        case .applicationFolders: "the daemon finds extensions only there"
        case .bundles: "the daemon does not offer a bundle with faults, and cannot run it"
        case .identifiers: "the daemon uses one of several copies, and a change to another one has no effect"
        case .watching: "the daemon detects new and changed bundles by it"
        case .inotify: "the programs of one user share the kernel's limits for watching files"
        case .bus: "desktops receive the states of hosts and requests over it; requests need no bus"
        case .processStart: "each extension is a separate process, and the daemon identifies it by a descriptor"
        case .processNamespace: "in a namespace, no process escapes a kill"
        case .sealedMemory: "values over 32 KiB are sent in it"
        case .controlGroup: "with its own group, a process tree can be limited and killed as a whole"
        case .landlock: "it denies an extension the files of others"
        case .seccomp: "it denies an extension system calls that it does not need"
        case .confinement: "an unconfined extension can read and change all that its user can"
        case .treeKill: "a descendant of an extension that a kill does not reach continues to run"
        case .descriptors: "each host, each extension and each large value takes some"
        case .processes: "at the limit, no extension can be launched"
        case .clock: "the daemon detects a changed file by its time"
        case .pageEngines: "hosts run the scripts of extensions in web pages by them"
        case .imageCodecs: "extensions and hosts get the pixels of JPEG and PNG images by them"
        }
    }
}
