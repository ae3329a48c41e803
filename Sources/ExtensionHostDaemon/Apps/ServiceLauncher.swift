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

    typealias Answer = @HostActor (Result<ExtensionProcess?, ExtensionHostError>) -> Void

    private let context: DaemonContext
    private let launcher: Launcher
    private let gate: LaunchGate
    private let breakers: CrashBreakers
    private var running: [Name: ExtensionProcess] = [:]
    /// The unwanted ends of a program since it was last at rest or ran for long.
    private struct Failures {
        var count = 0
        var launched: UInt64 = 0
    }

    private var failures: [Name: Failures] = [:]
    /// The next launches of programs that have ended so, or could not be launched.
    private var relaunches: [Name: Deadline] = [:]
    /// The removed apps of which a program has not been told yet.
    private var untold: [Name: Set<String>] = [:]
    /// The users whose programs were launched because they have run with an earlier daemon, by id; nil is the daemon's own.
    private var resumed: [UInt32?: UserIdentity?] = [:]
    /// Whether a host provides a service to a user, so that its program is not needed. Set before the first launch.
    var isOfHost: @HostActor (_ service: String, _ user: UInt32?) -> Bool = { _, _ in false }

    /// The longest time between an unwanted end and the next launch, in seconds, and the time of a run that is long.
    private static let longestPause = 64

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
        failures[name, default: Failures()].launched = context.clock.now
        process.whenOver { [weak self, weak process] in
            guard let self, let process, running[name] === process else { return }
            running[name] = nil
            ended(process, name)
        }
    }

    private func ended(_ process: ExtensionProcess, _ name: Name) {
        relaunches[name] = nil
        switch process.decidedCause {
        case .idle, .terminatedByOperator, .daemonStopping:
            failures[name] = nil
            if untold[name] != nil { launch(name, process.identity) }
        default:
            let longest = UInt64(Self.longestPause) * 1_000_000_000
            let ran = context.clock.now - (failures[name]?.launched ?? context.clock.now)
            if ran > longest { failures[name]?.count = 0 }
            relaunch(name, process.identity)
        }
    }

    /// Launches a program later that has ended by itself or could not be launched, each time later.
    private func relaunch(_ name: Name, _ identity: UserIdentity?) {
        let isKept = context.options.services[name.service]?.keepsAlive == true
        guard isKept || untold[name] != nil, !context.isStopping else { return }
        let count = failures[name]?.count ?? 0
        failures[name, default: Failures()].count = count + 1
        relaunches[name] = context.clock.schedule(after: .seconds(min(1 << min(count, 6), Self.longestPause))) {
            [weak self] in
            self?.relaunches[name] = nil
            self?.launch(name, identity)
        }
    }

    /// Launches a program that does not run, though no client asks for it.
    private func launch(_ name: Name, _ identity: UserIdentity?) {
        let isWanted = { @HostActor [weak self] in
            guard let self else { return false }
            return running[name] == nil && (untold[name] != nil || !isOfHost(name.service, name.user))
        }
        guard isWanted() else { return }
        provider(of: name.service, for: identity, isWanted: isWanted) { [weak self] result in
            // Without a process there is no end that would be followed by a launch.
            guard let self, case .failure = result, running[name] == nil, relaunches[name] == nil else { return }
            relaunch(name, identity)
        }
    }

    /// Launches the programs of a user that have run with an earlier daemon: they may have work to go on with.
    ///
    /// - Parameter identity: the user, whom the system's daemon sees for the first time; nil: the daemon's own user.
    func resume(for identity: UserIdentity?) {
        guard let folder = context.options.containersFolder, resumed[identity?.uid] == nil else { return }
        resumed[identity?.uid] = .some(identity)
        let containers = ContainerFolder(path: folder, of: identity)
        for service in context.options.services.keptAlive where containers.hasService(service) {
            launch(Name(service: service, user: identity?.uid), identity)
        }
    }

    /// Returns the process of a service's program once it is ready, and launches it if it does not run.
    ///
    /// - Parameters:
    ///   - isWanted: whether it is still wanted when a process before it has ended: the clients may have gone, or got
    ///     the program in another way.
    ///   - answer: called with nil if no program provides the service.
    func provider(
        of service: String, for identity: UserIdentity?, isWanted: @escaping @HostActor () -> Bool,
        answer: @escaping Answer
    ) {
        guard let definition = context.options.services[service] else {
            return answer(.success(nil))
        }
        let name = Name(service: service, user: identity?.uid)
        let again = { @HostActor [weak self] in
            guard let self, isWanted() else { return }
            provider(of: service, for: identity, isWanted: isWanted, answer: answer)
        }
        guard let process = running[name] else { return launch(definition, name, identity, again, answer) }
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
        _ again: @escaping @HostActor () -> Void, _ answer: @escaping Answer
    ) {
        guard !context.isStopping else { return answer(.failure(.daemonStopping)) }
        let bundle: ExtensionBundle
        do throws(ExtensionHostError) { bundle = try definition.bundle() } catch { return answer(.failure(error)) }
        let isOpen = gate.isOpen(for: bundle) { failure in
            if let failure { answer(.failure(failure)) } else { again() }
        }
        guard isOpen else { return }
        let program = Program.Name(bundle.identifier, of: name.user, isService: true)
        guard breakers.admitsLaunch(of: program) else { return answer(.failure(breakers.error(program))) }
        do throws(ExtensionHostError) {
            let process = try launcher.launch(bundle, arguments: definition.arguments, as: identity)
            // A program that exits before its hello counts as a failure.
            context.driver.post(.owes(process.number, true))
            process.whenReady { [weak self, weak process] in
                guard let self, let process, process.isReady else { return }
                context.driver.post(.opened(process.number))
                tell(process, name)
            }
            adopt(process)
            again()
        } catch {
            answer(.failure(error))
        }
    }

    /// Tells the programs of apps that were removed as a whole. One with `KeepAlive` that has run before, and so may have
    /// stored something for the app, is launched for that.
    ///
    /// An app whose files are gone already has no name, and nobody is told.
    ///
    /// - Parameter remaining: all other bundles.
    func removed(_ bundles: [ExtensionBundle], remaining: [ExtensionBundle]) {
        let folder = context.options.containersFolder
        let containers = folder.flatMap { try? FolderIdentity($0) }
        let gone = Set(bundles.compactMap(\.containingApp)).subtracting(remaining.compactMap(\.containingApp))
        let apps = gone.sorted().compactMap { ApplicationIdentifier.read(at: $0, outside: containers) }
        guard !apps.isEmpty else { return }
        for (name, process) in running {
            untold[name, default: []].formUnion(apps)
            let tell = { @HostActor [weak self, weak process] in
                if let process { self?.tell(process, name) }
            }
            if process.returning == nil { process.whenReady(tell) } else { process.whenBack(tell) }
        }
        guard let folder else { return }
        for (user, identity) in resumed {
            let containers = ContainerFolder(path: folder, of: identity)
            for service in context.options.services.keptAlive where containers.hasService(service) {
                let name = Name(service: service, user: user)
                guard running[name] == nil else { continue }
                untold[name, default: []].formUnion(apps)
                launch(name, identity)
            }
        }
    }

    private func tell(_ process: ExtensionProcess, _ name: Name) {
        guard process.isReady, !process.isEnding, process.returning == nil, let peer = process.peer,
            let apps = untold[name]
        else { return }
        for app in apps.sorted() { peer.send(AppRemoved(app: app)) }
        // A program that ends before it has dealt with them is told again.
        peer.request(Fence()) { [weak self] answer in
            guard let self, case .success = answer else { return }
            untold[name]?.subtract(apps)
            if untold[name]?.isEmpty == true { untold[name] = nil }
        }
    }

    private static func ended(_ service: String) -> ExtensionHostError {
        ExtensionHostError(
            .serviceUnavailable, "the program of \(service) has ended", remedy: "exthostctl exits shows the cause")
    }
}
