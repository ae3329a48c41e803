// FaultNames: the points in an extension's life at which a fault can be injected, and the kinds of faults.

/// A point in an extension's life, or in the daemon's. `docs/faults.md` shows the same names.
public enum FaultPoint: String, Sendable, Hashable, CaseIterable, WireValue {
    case starting, spawning
    case launching, ready, delivered, loadOpen, loadAnswered, answered, handler, expired, idle, terminating, suspended, two

    /// A description of what has just happened at this point.
    public var summary: String {
        switch self {
        case .starting: "the daemon is about to listen (exthostd --fault only)"
        case .spawning: "a process is about to be started for a request"
        case .launching: "the process runs and has not said hello"
        case .ready: "it has said hello and has no request"
        case .delivered: "its request is on its way to it"
        case .loadOpen: "it waits for its host's answer to a load"
        case .loadAnswered: "that answer is on its way to it"
        case .answered: "it has answered, and its host has not acknowledged that"
        case .handler: "the word is on its way to it that its completion handler may run"
        case .expired: "the word is on its way to it that the completion handler's time is up"
        case .idle: "it has served its requests and waits for another"
        case .terminating: "the word is on its way to it that it shall end"
        case .suspended: "it stands still, since its hosts are in the background"
        case .two: "a second request is on its way to it while it has one open"
        }
    }

    /// Whether there is a process for a fault to affect.
    public var hasProcess: Bool { self != .starting && self != .spawning }
}

/// A kind of fault.
public enum FaultKind: String, Sendable, Hashable, CaseIterable, WireValue {
    /// Signals to the program.
    case kill, crash, stop
    /// The packets between the daemon and the extension.
    case slow, truncate, duplicate, reorder, garbage, cut
    /// Exits and closed sockets of the program itself, as the daemon sees them.
    case exit, closeSocket
    /// Actions of others: its host, an operator.
    case hostGone, hostCancel, operatorKill, removeBundle
    /// Failures of the daemon's next call to the kernel.
    case fullDisk, noMemory, noDescriptors
    case busGone

    public var summary: String {
        switch self {
        case .kill: "SIGKILL to the program; nothing of it is heard any more"
        case .crash: "SIGSEGV to the program; nothing of it is heard any more"
        case .stop: "SIGSTOP to the program; it goes on only where the daemon lets a suspended one go on"
        case .slow: "nothing comes from it, or with --sent to it, for a while of the daemon's clock"
        case .truncate: "the next packet comes without its end"
        case .duplicate: "the next packet comes twice"
        case .reorder: "the next packet comes after the one that follows it"
        case .garbage: "a packet of noise comes, at once"
        case .cut: "the connection breaks; whoever can resumes the session over another"
        case .exit: "it exits with status 3; nothing of it is heard any more"
        case .closeSocket: "its end of the connection is closed for good, and it lives on"
        case .hostGone: "the host of its oldest request is gone, and does not come back"
        case .hostCancel: "that host cancels the request; one that is over stays as it is"
        case .operatorKill: "it is killed as by exthostctl kill"
        case .removeBundle: "its bundle is removed as by exthostctl remove"
        case .fullDisk: "the next folder that the daemon makes finds the disk full (ENOSPC)"
        case .noMemory: "the next memory file or process that the daemon makes finds no memory (ENOMEM)"
        case .noDescriptors: "the next socket or pipe that the daemon opens finds no descriptor free (EMFILE)"
        case .busGone: "the daemon's connection to the message bus breaks"
        }
    }

    /// Whether it affects an extension's process or its connection.
    public var needsProcess: Bool {
        switch self {
        case .fullDisk, .noMemory, .noDescriptors, .busGone: false
        default: true
        }
    }

    /// Whether it has a direction.
    public var isOfPackets: Bool {
        switch self {
        case .slow, .truncate, .duplicate, .reorder, .garbage: true
        default: false
        }
    }
}
