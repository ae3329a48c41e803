// RunningApp: an app's process, with the openings that wait for it.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry

/// Sends openings to the app in order, one at a time, once the app has said hello.
@HostActor
final class RunningApp {
    /// The maximum number of openings that wait for one app.
    private static let openingsLimit = 16
    /// The time after the last session's events until an app that ran only for them is closed (BT-17).
    private static let restTime = Duration.seconds(5)

    let application: Application
    let process: ExtensionProcess
    private let context: DaemonContext
    private var waiting: [(opening: AppOpening, opened: AppOpened)] = []
    private var isTelling = false
    /// The openings for sessions that the app deals with. They delay no other opening.
    private var sessions: [AppOpening] = []
    /// Whether it runs for the events of sessions and for nothing else.
    private var isOnlyForSessions = true
    private var closing: Deadline?

    init(_ application: Application, _ process: ExtensionProcess, _ context: DaemonContext) {
        self.application = application
        self.process = process
        self.context = context
        process.whenReady { [weak self] in self?.tellNext() }
        process.whenCutOff { [weak self] in self?.end(with: { $0.cutOffError }) }
        process.whenOver { [weak self] in self?.end(with: { $0.endError }) }
    }

    /// Whether the app takes further openings.
    var isOpen: Bool { !process.isEnding }

    /// Takes an opening after the process has started, so that its pid is known. An app that is ending takes none.
    func take(_ opening: AppOpening, isLaunched: Bool) {
        guard isOpen else { return opening.finish(.failure(endError)) }
        // The launch alone opens an app that says no hello.
        if process.isCutOff, opening.waitsForApp || process.isReady { return opening.finish(.failure(cutOffError)) }
        forgetLate()
        guard waiting.count + sessions.count < Self.openingsLimit else {
            return opening.finish(
                .failure(
                    ExtensionHostError(
                        .quotaExceeded,
                        "\(Self.openingsLimit) openings of \(application.identifier) wait for it, which is the limit",
                        remedy: "Wait until the app has taken them")))
        }
        if opening.opensForUser { process.isOpened = true }
        if !opening.isOfSession { isOnlyForSessions = false }
        closing = nil
        process.tell(.openedApp(opening.request, detail: Self.summary(opening.message)))
        let opened = AppOpened(
            identifier: application.identifier, pid: process.pid, process: process.number, isLaunched: isLaunched)
        if opening.waitsForApp {
            opening.arm(context.clock, application.identifier) { [weak self, weak opening] in
                guard let self, let opening, opening.isOfSession else { return }
                sessions.removeAll { $0 === opening }
                if isOnlyForSessions { process.handle(.wakeExpired) }
            }
        } else {
            opening.finish(.success(opened))
        }
        // The same message need not be sent twice: the app may be a program that does not listen.
        let message = opening.message
        if !isTelling, !opening.waitsForApp, waiting.contains(where: { $0.opening.message == message }) { return }
        waiting.append((opening, opened))
        tellNext()
    }

    /// Removes the openings that have timed out. Their openers have the error, so the app must not get the URL
    /// afterwards.
    private func forgetLate() { waiting.removeAll { $0.opening.waitsForApp && $0.opening.isAnswered } }

    /// Returns the reason, scheme and source of an opening for the log, never the URL itself, which may be private.
    private static func summary(_ message: Activate) -> String {
        let scheme = message.url.flatMap(Application.scheme).map { ", scheme \($0)" } ?? ""
        return message.reason.rawValue + scheme + (message.source.map { ", by \($0)" } ?? "")
    }

    private func tellNext() {
        guard !isTelling else { return }
        forgetLate()
        guard process.isReady, let peer = process.peer, let (opening, opened) = waiting.first else { return }
        isTelling = !opening.isOfSession
        if opening.isOfSession {
            waiting.removeFirst()
            sessions.append(opening)
        }
        peer.request(opening.message) { [weak self] answer in
            switch answer {
            case .success: opening.finish(.success(opened))
            // The loss of the connection ends all waiting openings.
            case .failure(let error) where error.code == .connectionLost: return
            case .failure(let error): opening.finish(.failure(error))
            }
            self?.told(opening)
        }
        if opening.isOfSession { tellNext() }
    }

    private func told(_ opening: AppOpening) {
        context.driver.post(.opened(process.number))
        guard !opening.isOfSession else {
            sessions.removeAll { $0 === opening }
            return rest()
        }
        isTelling = false
        waiting.removeAll { $0.opening === opening }
        tellNext()
    }

    /// Closes an app that ran only for sessions, some time after it has dealt with the last session.
    private func rest() {
        guard isOnlyForSessions, sessions.isEmpty, waiting.isEmpty else { return }
        closing = context.clock.schedule(after: Self.restTime) { [weak self] in self?.process.close() }
    }

    /// Ends all waiting openings with an error, because the app can get no more messages.
    private func end(with error: (RunningApp) -> ExtensionHostError) {
        isTelling = false
        let left = sessions + waiting.map(\.opening)
        (waiting, sessions, closing) = ([], [], nil)
        for opening in left { opening.finish(.failure(error(self))) }
    }

    private var cutOffError: ExtensionHostError {
        ExtensionHostError(
            .interrupted, "the app's connection is lost: \(application.identifier) receives no further openings",
            remedy:
                "If it still runs, stop it: exthostctl kill \(application.identifier); the next opening launches it again"
        )
    }

    private var endError: ExtensionHostError {
        let hasFailed = process.decidedCause == .launchFailed
        return ExtensionHostError(
            hasFailed ? .launchFailed : .interrupted,
            hasFailed
                ? "\(application.identifier) could not be started"
                : "\(application.identifier) exited before it took what it was opened for",
            // A private daemon's log goes with it, and its starter has seen what the app printed.
            remedy: context.options.isEphemeral
                ? "exthostctl app prints its output"
                : "exthostctl exits shows the cause, and exthostctl logs \(application.identifier) its last output")
    }
}
