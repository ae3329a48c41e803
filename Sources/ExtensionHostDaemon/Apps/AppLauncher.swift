// AppLauncher: the choice of the process for an opening, and the launch of an app that does not run.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// The running apps, one process each.
@HostActor
final class AppLauncher {
    /// The maximum number of apps that run at the same time.
    private static let appsLimit = 64

    let context: DaemonContext
    private let catalog: BundleCatalog
    private let launcher: Launcher
    private let gate: LaunchGate
    private let breakers: CrashBreakers
    private struct Name: Hashable {
        let identifier: String
        let identity: UserIdentity?
    }

    /// The running apps by name; in the system's daemon each user has an instance of an app.
    private var running: [Name: RunningApp] = [:]

    init(
        _ context: DaemonContext, _ catalog: BundleCatalog, _ launcher: Launcher, _ gate: LaunchGate,
        _ breakers: CrashBreakers
    ) {
        self.context = context
        self.catalog = catalog
        self.launcher = launcher
        self.gate = gate
        self.breakers = breakers
    }

    /// The options for launching an app that does not run yet.
    struct LaunchOptions {
        var arguments: [String] = []
        var follower: AppFollower?
        /// The user with whose rights the app runs; nil: the daemon's own user.
        var identity: UserIdentity?
    }

    /// Opens the app at a path, after a thread has read its bundle.
    ///
    /// - Parameter isWanted: checks the app before anything is done; returns the error why the app does not fit, or
    ///   nil.
    func open(
        _ path: String, _ opening: AppOpening, _ launch: LaunchOptions = LaunchOptions(),
        isWanted: @escaping @Sendable (Application) -> ExtensionHostError? = { _ in nil }
    ) {
        let done = context.scheduler?.beginWork()
        do {
            try startThread(named: "app") { [weak self] in
                let result = Result { () throws(ExtensionHostError) in
                    let application = try Application(at: path)
                    if let error = isWanted(application) { throw error }
                    return application
                }
                Task { @HostActor in
                    switch result {
                    case .success(let application): self?.open(application, opening, launch)
                    case .failure(let error): opening.finish(.failure(error))
                    }
                    done?()
                }
            }
        } catch {
            done?()
            opening.finish(
                .failure(
                    ExtensionHostError(
                        .internalError, "there is no thread to read the app",
                        remedy: "Allow the daemon more threads (ulimit -u)",
                        cause: "\(error)")))
        }
    }

    private func open(_ application: Application, _ opening: AppOpening, _ launch: LaunchOptions) {
        guard !context.isStopping else { return opening.finish(.failure(.daemonStopping)) }
        // No tool would follow the app or close it.
        guard launch.follower?.isGone != true else {
            return opening.finish(.failure(Self.abandoned(application.identifier)))
        }
        let name = Name(identifier: application.identifier, identity: launch.identity)
        guard let app = running[name] else { return start(application, opening, launch) }
        guard app.isOpen else {
            // An app that is ending takes no more openings: its successor does.
            return app.process.whenOver { [weak self] in self?.open(application, opening, launch) }
        }
        guard app.application.isSame(as: application) else {
            return opening.finish(
                .failure(
                    ExtensionHostError(
                        .invalidArgument,
                        "another copy of \(application.identifier) runs, with pid \(app.process.pid): \(app.application.path)",
                        remedy: "Stop it first: exthostctl kill \(application.identifier)")))
        }
        guard launch.arguments.isEmpty else {
            return opening.finish(
                .failure(
                    ExtensionHostError(
                        .invalidArgument,
                        "\(application.identifier) already runs, with pid \(app.process.pid), and takes no arguments",
                        remedy: "Stop it first, or omit the arguments")))
        }
        app.process.whenStarted { app.take(opening, isLaunched: false) }
    }

    private func start(_ application: Application, _ opening: AppOpening, _ launch: LaunchOptions) {
        let isInstalled = catalog.registry.copies.contains { $0.bundle.containingApp == application.path }
        let bundle = application.bundle(isInstalled: isInstalled)
        let isOpen = gate.isOpen(for: bundle) { [weak self] failure in
            if let failure { return opening.finish(.failure(failure)) }
            self?.open(application, opening, launch)
        }
        guard isOpen else { return }
        guard running.count < Self.appsLimit else {
            return opening.finish(
                .failure(
                    ExtensionHostError(
                        .quotaExceeded, "\(Self.appsLimit) apps run, which is the limit", remedy: "Close one of them")))
        }
        // The breaker does not hold back a tool that follows the app: its user sees the failure.
        let name = Program.Name(bundle.identifier, of: launch.identity?.uid)
        guard launch.follower != nil || breakers.admitsLaunch(of: name) else {
            return opening.finish(.failure(breakers.error(name)))
        }
        do throws(ExtensionHostError) {
            let process = try launcher.launch(bundle, arguments: launch.arguments, as: launch.identity)
            context.driver.post(.owes(process.number, opening.waitsForApp))
            launch.follower?.follow(process)
            let app = RunningApp(application, process, context)
            let name = Name(identifier: application.identifier, identity: launch.identity)
            running[name] = app
            process.whenOver { [weak self] in self?.ended(app, name) }
            process.whenStarted { app.take(opening, isLaunched: true) }
        } catch {
            opening.finish(.failure(error))
        }
    }

    private static func abandoned(_ identifier: String) -> ExtensionHostError {
        ExtensionHostError(
            .connectionLost, "\(identifier) was not launched: the connection that should follow it has ended",
            remedy: "Keep the connection open until the app has exited, or open the app without following it")
    }

    private func ended(_ app: RunningApp, _ name: Name) {
        if running[name] === app { running[name] = nil }
    }

    /// Opens the app of a registered extension in the background, for a service.
    ///
    /// - Parameters:
    ///   - service: the program or the host that provides the service.
    ///   - identity: the user with whose rights the app runs; nil: the daemon's own user.
    func wake(_ packet: Packet, for service: CallSide, as identity: UserIdentity?) throws(ProtocolError) {
        let message: WakeApp = try packet.message()
        func answer(_ result: Result<AppOpened, ExtensionHostError>) {
            switch result {
            case .success: service.peer?.reply(packet, Success())
            case .failure(let error): service.peer?.reply(packet, error)
            }
        }
        // The identifier of an extension begins with its app's.
        let known = catalog.registry.copies + catalog.registrations.listed(beside: catalog.registry)
        let containers = context.options.containersFolder.flatMap { try? FolderIdentity($0) }
        let path = known.lazy.filter {
            $0.isWinner && $0.bundle.problems.isEmpty
                && $0.bundle.identifier.hasPrefix(message.app + ".")
        }
        .compactMap(\.bundle.containingApp)
        .first { ApplicationIdentifier.read(at: $0, outside: containers) == message.app }
        guard let path else {
            return answer(
                .failure(
                    ExtensionHostError(
                        .noSuchExtension, "no registered extension is in an app \(message.app.cut(toBytes: 512))",
                        remedy: "Install the app again, or cancel what it has begun")))
        }
        guard message.window > 0, message.window <= 3600 else {
            return answer(
                .failure(
                    ExtensionHostError(
                        .invalidArgument, "a window of \(message.window) s", remedy: "Set 1 to 3600 seconds")))
        }
        let opening = AppOpening(
            Activate(reason: .session, detail: message.detail), within: .seconds(message.window), answer: answer)
        open(path, opening, LaunchOptions(identity: identity))
    }

    /// Closes an app as its user would.
    ///
    /// - Throws: `noSuchExtension` where it does not run.
    func close(_ identifier: String) throws(ExtensionHostError) {
        guard let app = running[Name(identifier: identifier, identity: nil)] else {
            throw ExtensionHostError(
                .noSuchExtension, "the app \(identifier.cut(toBytes: 512)) does not run",
                remedy: "exthostctl ps lists the running ones")
        }
        app.process.close()
    }
}
