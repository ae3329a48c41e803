// IBusProgram: the life of the program: its connections to the daemon and to IBus, and its end.

import EventLoop
import ExtensionHost
import ExtensionProtocol
import Glibc
import IBusEngine
import LinuxSystem

/// The program on the loop. A signal ends it, and so does the end of IBus's bus.
final class IBusProgram: Sendable {
    private let command: ExtensionHostIBusCommand
    @HostActor private var service: IBusService?
    @HostActor private var signals: [SignalSource] = []

    init(_ command: ExtensionHostIBusCommand) { self.command = command }

    @HostActor
    func start() {
        Task { @HostActor in
            do {
                for number in [SIGTERM, SIGINT] {
                    signals.append(
                        try EventLoop.shared.watch(signal: number) { [self] _ in
                            service?.close()
                            EventLoop.shared.stop()
                        })
                }
                try await serve()
            } catch let error as ExtensionHostError {
                fail("\(error)", status: error.code == .serviceUnavailable ? EX_UNAVAILABLE : error.code.exitStatus)
            } catch {
                fail("\(error)", status: EX_SOFTWARE)
            }
        }
    }

    @HostActor
    private func serve() async throws {
        let host = try await HostApplication.connect(name: "exthost-ibus", to: command.daemon)
        let keyboards = command.keyboards
        let component = try await IBusComponent.of(host, keyboards: keyboards)
        if command.xml {
            print(component.xml, terminator: "")
            StandardStreams.flushOutput()
            return EventLoop.shared.stop()
        }
        // IBus asks for a keyboard by name, and there may be none yet.
        guard command.ibus || !component.engines.isEmpty else {
            throw ExtensionHostError(
                .noSuchExtension, "there is no keyboard that can be used",
                remedy: "Install an app with one; exthostctl list shows the extensions")
        }
        let address = try command.address ?? IBusLocation().address()
        var limits = KeyboardEngine.Limits()
        limits.key = command.keyLimit
        var refresh: (@Sendable () async throws -> IBusComponent)?
        if keyboards.isEmpty { refresh = { try await IBusComponent.of(host, keyboards: []) } }
        let service = IBusService(
            component, host: host, clock: try RealClock(), limits: limits, refresh: refresh, log: { Self.say($0) })
        self.service = service
        try await service.connect(to: address, isStartedByIBus: command.ibus) { [self] in
            fail("the connection to IBus has ended", status: EX_UNAVAILABLE)
        }
        Self.say("serves " + (component.engines.map(\.name).joined(separator: " ")))
    }

    @HostActor
    private func fail(_ message: String, status: Int32) {
        Self.say(message)
        service?.close()
        EventLoop.shared.stop(exitCode: status)
    }

    private static func say(_ text: String) {
        // Names of an extension may have any character.
        let line = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{fffd}" : String($0) }
        StandardStreams.writeError("exthost-ibus: \(line.joined())\n")
    }
}
