// Breakage: what an extension did wrong in a schedule, by the log and by what its hosts got; pure.

import ExtensionProtocol

/// A rule of the model that was broken.
public struct Breakage: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of breakage.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It died by itself.
        case crash
        /// It said what it may not say.
        case violation
        /// It answered a request twice, or used one after its own answer.
        case misuse
        /// It never answered, though it had all that it had asked for; or it waited by a clock of its own, which nobody moves.
        case hang
        /// Its completion handler did not stop when its time was up, or its main queue stood.
        case overrun
        /// It answered otherwise than when nothing came in between.
        case wrongAnswer
    }

    /// What kind of breakage it is.
    public let kind: Kind
    /// What happened, in one sentence.
    public let detail: String

    public var description: String { "\(kind.rawValue): \(detail)" }
}

/// How one request ended, and what its host got.
struct Answer: Sendable, Hashable {
    let request: RequestIdentifier
    let cause: Cause
    /// The items as text, equal where they are.
    let value: String
    /// Whether a step ended it, or kept it from ending well.
    let isDisturbed: Bool
}

extension Breakage {
    /// From outside the two cannot be told apart: both rest, and time that others measure stands still between steps.
    private static let silence =
        "it had all that it had asked for, and did not answer; or it sleeps in real time, which is taken for the same: ExtensionClock is the one that moves"

    /// The first thing that is wrong; nil when nothing is. `usual` is how a request ends that nothing interferes with; nil while that
    /// is being found out.
    init?(log: [EventRecord], answers: [Answer], usual: Answer?) {
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
                self.init(kind: .overrun, detail: "its completion handler went on when its time was up, and it was killed")
                return
            case (.contextFault, _):
                // After the host's own end of it nobody can know better: the two cross.
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
        guard let usual else { return nil }
        for answer in answers where !answer.isDisturbed {
            guard answer.cause == usual.cause, answer.value == usual.value else {
                let found = answer.cause == usual.cause ? answer.value : "\(answer.cause.rawValue): \(answer.value)"
                let wanted = answer.cause == usual.cause ? usual.value : "\(usual.cause.rawValue): \(usual.value)"
                self.init(kind: .wrongAnswer, detail: "it answered “\(found)” where it answers “\(wanted)” otherwise")
                return
            }
        }
        return nil
    }
}
