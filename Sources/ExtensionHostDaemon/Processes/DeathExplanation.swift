// DeathExplanation: the reason why a process ended, and a remedy, for people, where the decider gave none; pure.

import ExtensionHostModel
import ExtensionProtocol
import Glibc
import LinuxSystem

/// The facts about a process at its end, from which its error is written.
struct DeathExplanation: Sendable {
    var identifier: String
    /// Whether the process had said hello.
    var isReady: Bool
    var hadRequests: Bool
    var status: ExitStatus
    /// The length of the timer `launch`.
    var launchLimit: Duration
    /// The limit of its descriptors, if it was seen to have used all of them.
    var spentDescriptors: Int?
    /// Whether the daemon is a private one, whose log may be gone when the text is read.
    var hasNoLog = false

    private var lastWords: String {
        hasNoLog
            ? "exthostctl run prints its output on standard error"
            : "exthostctl logs \(identifier) shows its last output"
    }

    func error(_ cause: Cause) -> ExtensionHostError {
        switch cause {
        case .crashed where spentDescriptors != nil:
            return ExtensionHostError(
                .interrupted,
                "the extension's process ended with none of its \(spentDescriptors ?? 0) descriptors left: \(status.summary)",
                remedy:
                    "Close unused descriptors, or allow more with --limit descriptors=N. libdispatch ends a program without descriptors "
                    + "(signal 4) while work waits for a thread. \(lastWords)")
        case .launchFailed:
            return ExtensionHostError(
                .launchFailed, "the extension's program cannot be executed: \(status.summary)", remedy: executionRemedy)
        case .exitedEarly where !isReady && status == .exited(127):
            return ExtensionHostError(
                .launchFailed,
                "a program or a library that the extension needs at its start was not found: exit status 127",
                remedy:
                    "Check the interpreter in its first line (#!), and ldd for a binary; both must also exist inside the "
                    + "confinement. \(lastWords)")
        case .exitedEarly where !isReady && status == .exited(126):
            return ExtensionHostError(
                .launchFailed, "a program that the extension needs at its start cannot be executed: exit status 126",
                remedy: "Make it executable (chmod +x), and build it for this machine. \(lastWords)")
        case .crashed, .exitedEarly:
            let stage =
                !isReady ? "before it sent hello" : hadRequests ? "while the request was open" : "with no request open"
            return ExtensionHostError(
                .interrupted, "the extension's process ended \(stage): \(status.summary)",
                remedy: isReady ? lastWords : "Does the program call NSExtensionMain()? \(lastWords)")
        case .launchTimeout:
            return ExtensionHostError(
                .timedOut, "the extension did not send hello within \(launchLimit)",
                remedy: "Call NSExtensionMain() at once, and do the work in beginRequest")
        case .protocolViolation:
            return ExtensionHostError(
                .protocolViolation, "the extension closed its connection and did not exit",
                remedy: "Keep the socket of EXTHOST_EXTENSION_FD open while the process serves")
        case .requestTimeout:
            return ExtensionHostError(
                .timedOut, "a request was not answered in time, and the process served no other",
                remedy: "Answer sooner, or give the request more time")
        case .expired:
            return ExtensionHostError(
                .timedOut, "its completion work continued after its time had expired",
                remedy: "Stop the work when the completion handler is called with expired = true")
        case .daemonStopping: return .daemonStopping
        case .terminatedByOperator:
            return ExtensionHostError(
                .interrupted, "an operator ended the extension", remedy: "Begin again if it is still wanted")
        default:
            return ExtensionHostError(
                .interrupted, "the extension's process ended: \(cause.rawValue)",
                remedy: hasNoLog ? lastWords : ExtensionHostError.Code.interrupted.remedy)
        }
    }
}

extension DeathExplanation {
    /// The remedy for a program that the kernel does not execute; the registry has seen that its file exists.
    private var executionRemedy: String {
        guard case .notStarted(let error) = status else { return "Run the program by hand, and check its mode and ldd" }
        return switch error.code {
        case ENOENT:
            "The interpreter in its first line (#!) or its header is missing: install it, or name another; the confinement shows the system's folders"
        case ENOEXEC:
            "It is not a program of this machine, and not a script with #! and an interpreter in its first line: build it again"
        case ELIBACC:
            "Put the library into the app's Frameworks, and link with the run path that exthostctl lint shows; or install it. \(lastWords)"
        case EACCES, EPERM:
            "Make it and its interpreter executable (chmod +x), in a folder without the mount option noexec"
        default: "Run the program by hand, and check its mode, its first line and ldd"
        }
    }
}

extension ExitStatus {
    /// The status as text: `exit status 3`, `signal 11 (Segmentation fault), core dumped`.
    var summary: String {
        switch self {
        case .exited(let code): "exit status \(code)"
        case .signalled(let signal, let dumped):
            "signal \(signal) (\(String(cString: strsignal(signal))))\(dumped ? ", core dumped" : "")"
        case .notStarted(let error): "not started: \(error)"
        case .unknown: "status unknown"
        }
    }
}
