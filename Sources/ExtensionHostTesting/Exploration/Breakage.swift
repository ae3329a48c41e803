// Breakage: an extension's fault in a schedule, found from the log and its hosts' results; pure.

import ExtensionProtocol

/// A violation of a rule of the model.
public struct Breakage: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of breakage.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The extension died by itself.
        case crash
        /// The extension sent a forbidden message.
        case violation
        /// The extension answered a request twice, or used one after its own answer. Or it released the completion
        /// handler of a call without calling it, or called one twice.
        case misuse
        /// The extension never answered, though it had everything that it asked for; or it waited by its own clock,
        /// which nothing moves.
        case hang
        /// The completion handler did not stop when its time was up, or the main queue was blocked.
        case overrun
        /// The answer differed from the one without interference.
        case wrongAnswer
    }

    /// The kind of the breakage.
    public let kind: Kind
    /// The event, in one sentence.
    public let detail: String

    public var description: String { "\(kind.rawValue): \(detail)" }
}

/// The end of one request, and its host's result.
struct Answer: Sendable, Hashable {
    let request: RequestIdentifier
    let cause: Cause
    /// The items as text; equal items have equal text.
    let value: String
    /// Whether a step ended it, or prevented its success.
    let isDisturbed: Bool
}

extension Breakage {
    /// The message for an extension that does not answer.
    ///
    /// From outside the two cases look alike: both are idle, and time on other clocks stands still between steps.
    private static let silence =
        "it had all values that it had loaded, and did not answer; or it sleeps in real time, which looks the same: use ExtensionClock for delays"

    /// Finds the first breakage; nil if there is none.
    ///
    /// `usual` is the end of a request without interference; nil while that is being determined.
    ///
    /// `hung` is the name of a call that the extension did not answer in time.
    init?(log: [EventRecord], answers: [Answer], usual: Answer?, hung: String? = nil) {
        let answered = Dictionary(answers.map { ($0.request, $0) }) { $1 }
        for event in log {
            switch (EventName(rawValue: event.event), event.cause) {
            case (.processExited, .crashed), (.processExited, .exitedEarly), (.processExited, .memoryLimit),
                (.processExited, .lockHeldAtSuspension):
                self.init(kind: .crash, detail: "its process ended: \(event.detail ?? "")")
                return
            case (.processExited, .protocolViolation):
                self.init(kind: .violation, detail: event.detail ?? "")
                return
            case (.processExited, .expired):
                self.init(
                    kind: .overrun,
                    detail: "its completion handler continued after its time had expired, and the daemon killed it")
                return
            case (.contextFault, _):
                // After the host has ended the request this is no fault: the two messages crossed.
                guard let request = event.request, answered[request].map(\.isDisturbed) != true else { continue }
                self.init(kind: .misuse, detail: event.detail ?? "")
                return
            case (.requestTimedOut, _):
                guard let request = event.request, answered[request].map(\.isDisturbed) != true else { continue }
                self.init(kind: .hang, detail: Self.silence)
                return
            default: continue
            }
        }
        if let hung {
            self.init(kind: .hang, detail: "it did not answer the call \(hung) within its time limit")
            return
        }
        guard let usual else { return nil }
        for answer in answers where !answer.isDisturbed {
            guard answer.cause == usual.cause, answer.value == usual.value else {
                let found = answer.cause == usual.cause ? answer.value : "\(answer.cause.rawValue): \(answer.value)"
                let wanted = answer.cause == usual.cause ? usual.value : "\(usual.cause.rawValue): \(usual.value)"
                self.init(
                    kind: .wrongAnswer,
                    detail: "it answered “\(found)”; without the other events it answers “\(wanted)”")
                return
            }
        }
        return nil
    }
}
