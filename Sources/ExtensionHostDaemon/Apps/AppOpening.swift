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

    init(
        _ message: Activate, request: RequestIdentifier? = nil, within limit: Duration = .seconds(10),
        answer: @escaping Answer
    ) {
        self.limit = limit
        self.message = message
        self.request = request
        self.answer = answer
    }

    /// The app's time for it, the launch included.
    let limit: Duration
    /// Whether the app has to confirm the opening. Without a URL, an activity or a session, the launch is enough.
    var waitsForApp: Bool { message.url != nil || message.activity != nil || isOfSession }
    /// Whether the app gets the events of a session, in the background.
    var isOfSession: Bool { message.reason == .session }
    /// Whether it brings the app to its user.
    var opensForUser: Bool { message.reason != .woken && !isOfSession }

    var isAnswered: Bool { answer == nil }

    /// Starts the time limit for the app's answer.
    ///
    /// - Parameter isLate: called after the answer if the time is over.
    func arm(_ clock: any HostClock, _ identifier: String, isLate: @escaping @HostActor () -> Void) {
        let what =
            isOfSession
            ? "has not called the completion handler of its session"
            : "did not take the \(message.activity == nil ? "URL" : "activity")"
        deadline = clock.schedule(after: limit) { [weak self, limit] in
            defer { isLate() }
            self?.finish(
                .failure(
                    ExtensionHostError(
                        .timedOut, "\(identifier) \(what) within \(limit)",
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
