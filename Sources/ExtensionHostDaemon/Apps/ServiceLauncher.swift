// ServiceLauncher: the programs that provide services, and their launch at the first use.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// The programs of services: one process for each service and user.
///
/// A program is launched when a client first opens its service. It ends when it reports that it has nothing to do, and
/// outlives the daemon as an extension does.
@HostActor
final class ServiceLauncher {
    /// A service of one user, whatever groups the user's clients have.
    private struct Name: Hashable {
        let service: String
        let user: UInt32?
    }

    private let context: DaemonContext
    private let launcher: Launcher
    private let gate: LaunchGate
    private let breakers: CrashBreakers
    private var running: [Name: ExtensionProcess] = [:]
    /// Whether a client waits for a service of a user. Set before the first launch.
    var isAwaited: @HostActor (_ service: String, _ user: UInt32?) -> Bool = { _, _ in true }

    init(_ context: DaemonContext, _ launcher: Launcher, _ gate: LaunchGate, _ breakers: CrashBreakers) {
        self.context = context
        self.launcher = launcher
        self.gate = gate
        self.breakers = breakers
    }

    /// Adds a process of the last daemon.
    func adopt(_ process: ExtensionProcess) {
        let name = Name(service: process.bundle.identifier, user: process.identity?.uid)
        running[name] = process
        process.whenOver { [weak self, weak process] in
            guard let self, running[name] === process else { return }
            running[name] = nil
        }
    }

    /// Returns the process of a service's program once it is ready, and launches it if it does not run.
    ///
    /// - Parameter answer: called with nil if no program provides the service.
    func provider(
        of service: String, for identity: UserIdentity?,
        answer: @escaping @HostActor (Result<ExtensionProcess?, ExtensionHostError>) -> Void
    ) {
        guard let definition = context.options.services[service] else {
            return answer(.success(nil))
        }
        let name = Name(service: service, user: identity?.uid)
        guard let process = running[name] else { return launch(definition, name, identity, answer) }
        /// The clients may have gone, or got the program in another way, by the time that it ends.
        let again = { @HostActor [weak self] in
            guard let self, isAwaited(service, name.user) else { return }
            provider(of: service, for: identity, answer: answer)
        }
        guard !process.isEnding else {
            // Its successor takes the client.
            return process.whenOver(again)
        }
        guard process.returning == nil else {
            // It offers its service itself once it has reconnected, or is killed.
            return process.whenOver(again)
        }
        process.whenReady { [weak process] in
            guard let process, process.isReady, !process.isEnding, process.peer != nil else {
                return answer(.failure(Self.ended(service)))
            }
            answer(.success(process))
        }
    }

    private func launch(
        _ definition: ServiceDefinition, _ name: Name, _ identity: UserIdentity?,
        _ answer: @escaping @HostActor (Result<ExtensionProcess?, ExtensionHostError>) -> Void
    ) {
        guard !context.isStopping else { return answer(.failure(.daemonStopping)) }
        let bundle: ExtensionBundle
        do throws(ExtensionHostError) { bundle = try definition.bundle() } catch { return answer(.failure(error)) }
        let isOpen = gate.isOpen(for: bundle) { [weak self] failure in
            if let failure { return answer(.failure(failure)) }
            self?.provider(of: name.service, for: identity, answer: answer)
        }
        guard isOpen else { return }
        let program = Program.Name(bundle.identifier, of: name.user)
        guard breakers.admitsLaunch(of: program) else { return answer(.failure(breakers.error(program))) }
        do throws(ExtensionHostError) {
            let process = try launcher.launch(bundle, arguments: definition.arguments, as: identity)
            // A program that exits before its hello counts as a failure.
            context.driver.post(.owes(process.number, true))
            process.whenReady { [context, weak process] in
                if let process, process.isReady { context.driver.post(.opened(process.number)) }
            }
            adopt(process)
            provider(of: name.service, for: identity, answer: answer)
        } catch {
            answer(.failure(error))
        }
    }

    /// Tells the running programs of apps that were removed as a whole.
    ///
    /// An app whose files are gone already has no name, and is not told.
    ///
    /// - Parameter remaining: all other bundles.
    func removed(_ bundles: [ExtensionBundle], remaining: [ExtensionBundle]) {
        let containers = context.options.containersFolder.flatMap { try? FolderIdentity($0) }
        let gone = Set(bundles.compactMap(\.containingApp)).subtracting(remaining.compactMap(\.containingApp))
        for app in gone.sorted().compactMap({ ApplicationIdentifier.read(at: $0, outside: containers) }) {
            for process in running.values where process.isReady { process.peer?.send(AppRemoved(app: app)) }
        }
    }

    private static func ended(_ service: String) -> ExtensionHostError {
        ExtensionHostError(
            .serviceUnavailable, "the program of \(service) has ended", remedy: "exthostctl exits shows the cause")
    }
}
