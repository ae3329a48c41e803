// AppOpening: one order to open an app, from its reason to its answer.

import EventLoop
import ExtensionProtocol

/// An order that is answered once: when the app has taken it, or when the order has failed.
@HostActor
final class AppOpening {
    typealias Answer = @HostActor (Result<AppOpened, ExtensionHostError>) -> Void

    /// Bytes of a URL that an app may be opened with.
    static let urlLimit = 16 * 1024

    let message: Activate
    /// The request whose extension ordered the opening.
    let request: RequestIdentifier?
    private var answer: Answer?
    private var deadline: Deadline?

    init(_ message: Activate, request: RequestIdentifier? = nil, answer: @escaping Answer) {
        self.message = message
        self.request = request
        self.answer = answer
    }

    /// Whether the app has to confirm the opening. Without a URL to open, the launch is enough.
    var waitsForApp: Bool { message.url != nil }

    var isAnswered: Bool { answer == nil }

    /// Starts the time limit for the app's answer.
    func arm(_ clock: any HostClock, _ limit: Duration, _ identifier: String) {
        deadline = clock.schedule(after: limit) { [weak self] in
            self?.finish(
                .failure(
                    ExtensionHostError(
                        .timedOut, "\(identifier) did not take the URL within \(limit)",
                        remedy:
                            "The app must call UIApplicationMain or follow docs/protocol.md, and must not block its main thread"
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
