// SpawnError: the reason and the step of a process's failed start.

/// The reason why `spawn(_:)` failed. A failed spawn leaves no process and no descriptor behind.
public enum SpawnError: Error, Sendable, Hashable {
    /// The attributes contradict themselves; the text says how.
    case invalid(String)
    /// A call of the parent or of the child failed.
    case failed(step: SpawnStep, SystemError)
    /// The spawning process died while the child was starting; only a child sees this, never a living caller.
    case parentGone
}

/// The steps of a spawn, in their order.
public enum SpawnStep: Int, Sendable, Hashable, CaseIterable {
    case statusSocket
    case confinement
    case stack
    case clone
    case parentDeathSignal
    case controlGroups
    case userNamespace
    case processFileSystem
    case session
    case descriptors
    case closingDescriptors
    case workingDirectory
    case limits
    case signals
    case execute
    case identity
}

extension SpawnError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalid(let reason): "cannot spawn: \(reason)"
        case .parentGone: "the spawning process has ended"
        case .failed(let step, let error): "cannot spawn, \(step) failed: \(error)\(Self.remedy(step, error.code))"
        }
    }

    private static func remedy(_ step: SpawnStep, _ code: Int32) -> String {
        switch step {
        case .userNamespace:
            "; user namespaces may be restricted here (user_namespaces(7)), or this process changed its user without an exec"
        case .processFileSystem: "; a container may not mount /proc (proc(5)): use another enclosure"
        case .clone: "; check the limits on processes and namespaces (RLIMIT_NPROC, pids.max, /proc/sys/user)"
        case .identity: "; only a process with CAP_SETUID and CAP_SETGID may launch for other users"
        case .execute: "; check that the program exists, is executable, and is built for this machine"
        default: ""
        }
    }
}
