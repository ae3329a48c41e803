// AppOpening: one wish that an app be opened, from its reason to its answer.

import EventLoop
import ExtensionProtocol

/// Answered once: when the app has what it is opened for, or when that can no more be.
@HostActor
final class AppOpening {
    typealias Answer = @HostActor (Result<AppOpened, ExtensionHostError>) -> Void

    /// Bytes of a URL that an app may be opened with.
    static let urlLimit = 16 * 1024

    let message: Activate
    /// The request whose extension wants it.
    let request: RequestIdentifier?
    private var answer: Answer?
    private var deadline: Deadline?

    init(_ message: Activate, request: RequestIdentifier? = nil, answer: @escaping Answer) {
        self.message = message
        self.request = request
        self.answer = answer
    }

    /// Whether the app has to say that it has it. That it was launched is enough where it has nothing to open.
    var waitsForApp: Bool { message.url != nil }

    var isAnswered: Bool { answer == nil }

    /// From now on the app has this much time.
    func arm(_ clock: any HostClock, _ limit: Duration, _ identifier: String) {
        deadline = clock.schedule(after: limit) { [weak self] in
            self?.finish(
                .failure(
                    ExtensionHostError(
                        .timedOut, "\(identifier) did not take the URL within \(limit)",
                        remedy:
                            "Let its program be a UIKit app, or speak to the daemon as docs/protocol.md says, and rest its main thread"
                    )))
        }
    }

    func finish(_ result: Result<AppOpened, ExtensionHostError>) {
        deadline = nil
        guard let answer else { return }
        self.answer = nil
        answer(result)
    }
}
