// ServiceProgram: the process of a service's program, and its connection to the daemon.

import Dispatch
import ExtensionConnection
import ExtensionFoundation
import ExtensionItems
public import ExtensionPointKit
public import ExtensionWire
import Glibc
import LinuxDescriptors

/// A program of the installation that the daemon launches when a client first opens the program's service
/// (docs/extension-points.md, "Services"). Safe to use from any thread. Each process has one.
///
/// The process outlives a restart of the daemon as an extension does: its connections go on with the next daemon. It
/// exits with 0 when the daemon ends it or is gone.
public final class ServiceProgram: Sendable {
    /// The name of the service.
    public let service: String
    /// The connections with its clients.
    public let port: ServicePort
    private let channel: Channel
    private let activity = Activity.process
    private let onRemoval: @Sendable (String) -> Void

    private init(
        _ service: String, _ port: ServicePort, _ channel: Channel, _ onRemoval: @escaping @Sendable (String) -> Void
    ) {
        (self.service, self.port, self.channel, self.onRemoval) = (service, port, channel, onRemoval)
    }

    /// Connects with the daemon that launched this process. Call it once, before anything else.
    ///
    /// - Parameters:
    ///   - onRemoval: called with the identifier of each app that is removed. It runs on the connection's thread and
    ///     must not block.
    ///   - accept: decides about each new client: returns the handlers of its calls, or throws the error that the client
    ///     gets.
    /// - Throws: `noDaemon` in a process that no daemon launched as a service; `versionMismatch`, `protocolViolation`.
    public static func start(
        onRemoval: @escaping @Sendable (String) -> Void = { _ in }, accept: @escaping ServicePort.Accept
    ) throws(ExtensionHostError) -> ServiceProgram {
        StandardStreams.lineBufferOutput()
        guard let number = getenv("EXTHOST_SERVICE_FD").flatMap({ Int32(String(cString: $0)) }) else {
            throw ExtensionHostError(
                .noDaemon, "this program provides a service, and exthostd launches it",
                remedy: "Describe it by a property list in the folder Services (docs/service.md)")
        }
        unsetenv("EXTHOST_SERVICE_FD")
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        let door = ReconnectSocket.take()
        let (channel, welcome) = try Channel.open(
            socket: Socket(OwnedDescriptor(owning: number)),
            hello: Hello(role: .service, sdk: "swift/\(ProtocolVersion.current)"),
            // Without its daemon the process has nothing to resume.
            reconnection: Reconnection(patience: .zero) { _ throws(ExtensionHostError) in
                guard let door else { throw ExtensionHostError(.noDaemon, "there is no reconnect socket") }
                return try door.connect()
            })
        guard let execution = welcome.execution else {
            throw ExtensionHostError(.protocolViolation, "the daemon's welcome does not name the service")
        }
        let port = ServicePort(channel: channel, .process)
        port.serve(execution.identifier, accept: accept)
        let program = ServiceProgram(execution.identifier, port, channel, onRemoval)
        try program.begin(time: execution.time)
        ProcessChannel.connect(channel)
        return program
    }

    private func begin(time: Int?) throws(ExtensionHostError) {
        try channel.start(
            onPacket: { self.receive($0) },
            onRestart: { [channel, port] welcome in
                guard welcome.isRecognized else { exit(0) }
                try? channel.send(StillOpen(requests: [], answers: [], work: []))
                port.restarted(isRecognized: true)
            },
            onClose: { error in
                if error.code != .connectionLost { Self.report("\(error)") }
                exit(0)
            })
        if let time { try ExtensionTime.shared.follow(channel, activity, from: time) }
    }

    private func receive(_ packet: Packet) {
        let serial = packet.serial
        do {
            switch packet.kind {
            case .clockMoved: ExtensionTime.shared.moved(to: try packet.message(ClockMoved.self).time)
            case .terminate: exit(0)
            case .appRemoved: onRemoval(try packet.message(AppRemoved.self).app)
            case .fence:
                activity.whenQuiet { [channel] in try? channel.send(FenceReply(), replyTo: serial) }
            case .openService, .closeService, .call, .cancelCall, .callPart, .callExpires:
                if try port.receive(packet) { return }
                // What has crossed with the end of its connection is answered.
                guard packet.kind == .call || packet.kind == .callPart else { return }
                let why = ExtensionHostError(.contextFinished, "the connection has ended")
                try channel.send(ErrorReply(why), replyTo: serial)
            default: throw ProtocolError.unexpected(kind: "\(packet.kind)", state: "from the daemon to a service")
            }
        } catch {
            Self.report("protocol violation by the daemon: \(error)")
            exit(EXIT_FAILURE)
        }
    }

    /// Serves until the daemon ends the process.
    public func serve() -> Never { dispatchMain() }

    /// Launches an app in the background, or tells one that runs, that a session has events. Returns when the app has
    /// called its completion handler.
    ///
    /// - Parameters:
    ///   - app: the identifier of an app that has a registered extension.
    ///   - session: the identifier of the session.
    ///   - window: the time that the app has, its launch included.
    ///   - waits: called with true when the daemon has been asked, and with false when it has answered, on any thread. A
    ///     program of which a fence waits for its own work is not at work in between.
    /// - Throws: `timedOut` if the app has not called the handler in time, `noSuchExtension` without such an app,
    ///   `launchFailed`, `interrupted` if the app ends before, `quotaExceeded`, `connectionLost`.
    public func wake(
        app: String, session: String, within window: Duration = .seconds(30),
        waits: @escaping @Sendable (Bool) -> Void = { _ in }
    ) async throws {
        try await port.wake(app: app, session: session, within: window, waits: waits)
    }

    /// Reports that there is nothing to do. The daemon ends the process, unless a client has a connection.
    public func rest() { try? channel.send(Rest()) }

    private static func report(_ text: String) { StandardStreams.writeError("exthost: \(text)\n") }
}
