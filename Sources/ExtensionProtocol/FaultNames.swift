// FaultNames: the points in an extension's life at which a fault can be injected, and the kinds of faults.

/// A point in an extension's life, or in the daemon's. `docs/faults.md` shows the same names.
public enum FaultPoint: String, Sendable, Hashable, CaseIterable, WireValue {
    case starting, spawning
    case launching, ready, delivered, loadOpen, loadAnswered, call, called
    case answered, handler, expired, idle, terminating, suspended, two

    /// A description of what has just happened at this point.
    public var summary: String {
        switch self {
        case .starting: "the daemon is about to listen (exthostd --fault only)"
        case .spawning: "a process is about to be started for a request"
        case .launching: "the process runs and has not sent hello"
        case .ready: "it has sent hello and has no request"
        case .delivered: "the daemon sends it its request"
        case .loadOpen: "it waits for its host's answer to a load"
        case .loadAnswered: "the daemon sends it that answer"
        case .call: "the daemon sends it a call of its host, or sends its own call to its host"
        case .called: "the daemon forwards the answer to such a call"
        case .answered: "it has answered, and its host has not acknowledged the answer"
        case .handler: "the daemon notifies it that its completion handler may run"
        case .expired: "the daemon notifies it that its completion handler's time is up"
        case .idle: "it has served its requests and waits for another"
        case .terminating: "the daemon asks it to terminate"
        case .suspended: "it is suspended, because its hosts are in the background"
        case .two: "the daemon sends it a second request while it has one open"
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
        case .kill: "SIGKILL to the program; the daemon ignores its further packets"
        case .crash: "SIGSEGV to the program; the daemon ignores its further packets"
        case .stop: "SIGSTOP to the program; it continues only if the daemon resumes a suspended process"
        case .slow: "nothing arrives from it, or with --sent goes to it, for a time of the daemon's clock"
        case .truncate: "the next packet arrives without its end"
        case .duplicate: "the next packet arrives twice"
        case .reorder: "the next packet arrives after the one that follows it"
        case .garbage: "a packet of random bytes arrives at once"
        case .cut: "the connection breaks; an extension that can resume opens another"
        case .exit: "it exits with status 3; the daemon ignores its further packets"
        case .closeSocket: "its end of the connection closes for good, and it continues to run"
        case .hostGone: "the host of its oldest request disconnects, and does not reconnect"
        case .hostCancel: "that host cancels the request; a request that has ended stays as it is"
        case .operatorKill: "an operator kills it, as with exthostctl kill"
        case .removeBundle: "an operator removes its bundle, as with exthostctl remove"
        case .fullDisk: "the next folder that the daemon makes fails with a full disk (ENOSPC)"
        case .noMemory: "the next memory file or process that the daemon makes fails for lack of memory (ENOMEM)"
        case .noDescriptors: "the next socket or pipe that the daemon opens fails for lack of descriptors (EMFILE)"
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
