// Fault: what may befall an extension, its host or its bundle, wherever in its life it stands.

import ExtensionProtocol

/// The columns of the fault matrix. Their names stand in docs/faults.md.
enum Fault: String, Sendable, CaseIterable {
    /// A signal that nobody can catch, from a stranger.
    case killed
    /// SIGSEGV, as a fault in its memory brings it.
    case crashes
    /// Exits with status 3.
    case exits
    /// Closes its socket and lives on.
    case closesSocket
    /// Sends what is no packet.
    case sendsGarbage
    /// Its program is stopped by a signal, and nobody lets it go on.
    case stopped
    /// SIGKILL to the host.
    case hostDies
    case hostCancels
    /// `exthostctl kill`.
    case operatorKills
    /// `exthostctl remove`.
    case bundleRemoved

    /// Under which name the daemon itself lets it happen, at the very point.
    var onDemand: FaultKind {
        switch self {
        case .killed: .kill
        case .crashes: .crash
        case .exits: .exit
        case .closesSocket: .closeSocket
        case .sendsGarbage: .garbage
        case .stopped: .stop
        case .hostDies: .hostGone
        case .hostCancels: .hostCancel
        case .operatorKills: .operatorKill
        case .bundleRemoved: .removeBundle
        }
    }

    /// Those that whoever is outside can do as well, with the same consequences.
    static let fromOutside: [Self] = [.exits, .closesSocket, .hostDies, .hostCancels, .operatorKills, .bundleRemoved]

    /// Whether a suspended process has to go on before the fault is seen: its host comes back then.
    var needsARunningProcess: Bool {
        switch self {
        case .crashes, .exits, .closesSocket, .sendsGarbage, .stopped: true
        case .killed, .hostDies, .hostCancels, .operatorKills, .bundleRemoved: false
        }
    }
}

/// The rows: where in its life an extension is when the fault comes. Tests/Fixtures/Python/stage.py knows them by the
/// same names.
enum LifePoint: String, Sendable, CaseIterable {
    /// It runs and has not said hello.
    case launching
    /// It has said hello, and its only request was given up before that.
    case ready
    /// It has its request.
    case delivered
    /// It waits for its host's answer to a load.
    case loadOpen
    /// It has that answer.
    case loadAnswered
    /// The host has called the extension.
    case call
    /// It has answered its host's call, and has its request.
    case called
    /// It has answered, and the host has not acknowledged that.
    case answered
    /// Its completion handler runs.
    case handler
    /// Its completion handler was told that its time is up.
    case expired
    /// It has served its request and waits for another.
    case idle
    /// It was told to terminate, and does not.
    case terminating
    /// It stands still, since its host is in the background.
    case suspended
    /// It has two requests, of two hosts; what befalls a host befalls the first.
    case two

    /// The daemon's name for it is the same.
    var faultPoint: FaultPoint? { FaultPoint(rawValue: rawValue) }
}
