// RunningApp: an app's process with what it is told.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry

/// Passes openings on in order: to the app once it has said hello, one at a time.
@HostActor
final class RunningApp {
    /// Openings that may wait for one app.
    private static let openingsLimit = 16
    /// What it has for each of them, its launch included.
    private static let limit = Duration.seconds(10)

    let application: Application
    let process: ExtensionProcess
    private let context: DaemonContext
    private var waiting: [(opening: AppOpening, opened: AppOpened)] = []
    private var isTelling = false

    init(_ application: Application, _ process: ExtensionProcess, _ context: DaemonContext) {
        self.application = application
        self.process = process
        self.context = context
        process.whenReady { [weak self] in self?.tellNext() }
        process.whenCutOff { [weak self] in self?.end(with: { $0.cutOffError }) }
        process.whenOver { [weak self] in self?.end(with: { $0.endError }) }
    }

    /// Whether it may still be told something.
    var isOpen: Bool { !process.isEnding }

    /// Once it has been started, so that its pid is known; what is ending meanwhile takes nothing.
    func take(_ opening: AppOpening, isLaunched: Bool) {
        guard isOpen else { return opening.finish(.failure(endError)) }
        // What says no hello is opened by its launch alone.
        if process.isCutOff, opening.waitsForApp || process.isReady { return opening.finish(.failure(cutOffError)) }
        forgetLate()
        guard waiting.count < Self.openingsLimit else {
            return opening.finish(
                .failure(
                    ExtensionHostError(
                        .quotaExceeded,
                        "\(Self.openingsLimit) openings of \(application.identifier) wait for it, which is the limit",
                        remedy: "Wait until the app has taken them")))
        }
        process.tell(.openedApp(opening.request, detail: Self.summary(opening.message)))
        let opened = AppOpened(
            identifier: application.identifier, pid: process.pid, process: process.number, isLaunched: isLaunched)
        if opening.waitsForApp {
            opening.arm(context.clock, Self.limit, application.identifier)
        } else {
            opening.finish(.success(opened))
        }
        // Told once that it is wanted it need not be told again: it may be no program that listens.
        let message = opening.message
        if !isTelling, !opening.waitsForApp, waiting.contains(where: { $0.opening.message == message }) { return }
        waiting.append((opening, opened))
        tellNext()
    }

    /// Whose opener has heard by now that the app did not take the URL: it shall not have it after all.
    private func forgetLate() { waiting.removeAll { $0.opening.waitsForApp && $0.opening.isAnswered } }

    /// Never the URL itself: it may hold what is nobody's business.
    private static func summary(_ message: Activate) -> String {
        let scheme = message.url.flatMap(Application.scheme).map { ", scheme \($0)" } ?? ""
        return message.reason.rawValue + scheme + (message.source.map { ", by \($0)" } ?? "")
    }

    private func tellNext() {
        guard !isTelling else { return }
        forgetLate()
        guard process.isReady, let peer = process.peer, let (opening, opened) = waiting.first else { return }
        isTelling = true
        peer.request(opening.message) { [weak self] answer in
            switch answer {
            case .success: opening.finish(.success(opened))
            // What follows of that ends all that waits.
            case .failure(let error) where error.code == .connectionLost: return
            case .failure(let error): opening.finish(.failure(error))
            }
            self?.told(opening)
        }
    }

    private func told(_ opening: AppOpening) {
        isTelling = false
        waiting.removeAll { $0.opening === opening }
        context.driver.post(.opened(process.number))
        tellNext()
    }

    /// It can be told nothing more.
    private func end(with error: (RunningApp) -> ExtensionHostError) {
        isTelling = false
        let left = waiting
        waiting = []
        for (opening, _) in left { opening.finish(.failure(error(self))) }
    }

    private var cutOffError: ExtensionHostError {
        ExtensionHostError(
            .interrupted, "the app's connection is gone: \(application.identifier) can be told nothing more",
            remedy: "If it still runs, end it: exthostctl kill \(application.identifier); the next opening launches it anew")
    }

    private var endError: ExtensionHostError {
        let hasFailed = process.decidedCause == .launchFailed
        return ExtensionHostError(
            hasFailed ? .launchFailed : .interrupted,
            hasFailed
                ? "\(application.identifier) could not be started"
                : "\(application.identifier) ended before it had taken what it was opened for",
            // A private daemon's log goes with it, and its starter has seen what the app printed.
            remedy: context.options.isEphemeral
                ? "exthostctl app prints what it says"
                : "exthostctl exits shows how, and exthostctl logs \(application.identifier) its last words")
    }
}
