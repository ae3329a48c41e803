// DeathExplanation: why a process ended and what helps, for people, where nobody who decided has said it; pure.

import ExtensionProtocol
import Glibc
import LinuxSystem

/// What was known of a process when it ended.
struct DeathExplanation: Sendable {
    var identifier: String
    /// It had said hello.
    var isReady: Bool
    var hadRequests: Bool
    var status: ExitStatus
    /// The timer `launch`.
    var launchLimit: Duration
    /// The limit of its descriptors, if it was seen to have used all of them.
    var spentDescriptors: Int?

    func error(_ cause: Cause) -> ExtensionHostError {
        switch cause {
        case .crashed where spentDescriptors != nil:
            return ExtensionHostError(
                .interrupted,
                "the extension's process ended with none of its \(spentDescriptors ?? 0) descriptors left: \(status.words)",
                remedy:
                    "Close what is no longer needed, or allow more with --limit descriptors=N. libdispatch ends a program (signal 4) "
                    + "that has none while work waits for a thread. exthostctl logs \(identifier) shows its last words")
        case .crashed, .exitedEarly:
            let stage = !isReady ? "before it said hello" : hadRequests ? "while the request was open" : "with no request open"
            return ExtensionHostError(
                .interrupted, "the extension's process ended \(stage): \(status.words)",
                remedy: isReady
                    ? "exthostctl logs \(identifier) shows its last words"
                    : "Does the program call NSExtensionMain()? exthostctl logs \(identifier) shows its last words")
        case .launchTimeout:
            return ExtensionHostError(
                .timedOut, "the extension did not say hello within \(launchLimit)",
                remedy: "Call NSExtensionMain() at once and do the work in beginRequest")
        case .protocolViolation:
            return ExtensionHostError(
                .protocolViolation, "the extension closed its connection and did not end",
                remedy: "Leave the socket of EXTHOST_EXTENSION_FD open for as long as the process serves")
        case .requestTimeout:
            return ExtensionHostError(
                .timedOut, "a request was not answered in time, and the process served no other",
                remedy: "Let it answer sooner, or give the request more time")
        case .expired:
            return ExtensionHostError(
                .timedOut, "its completion work went on after it was told that its time was up",
                remedy: "Stop the work when the completion handler is called with expired = true")
        case .daemonStopping: return .daemonStopping
        case .terminatedByOperator:
            return ExtensionHostError(
                .interrupted, "an operator ended the extension", remedy: "Begin again if it is still wanted")
        default: return ExtensionHostError(.interrupted, "the extension's process was ended: \(cause.rawValue)")
        }
    }
}

extension ExitStatus {
    /// `exit status 3`, `signal 11 (Segmentation fault), core dumped`.
    var words: String {
        switch self {
        case .exited(let code): "exit status \(code)"
        case .signalled(let signal, let dumped):
            "signal \(signal) (\(String(cString: strsignal(signal))))\(dumped ? ", core dumped" : "")"
        case .notStarted(let error): "not started: \(error)"
        case .unknown: "status unknown"
        }
    }
}
