// WakeTests: apps that a service wakes for the events of a session.

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite struct WakeTests {
    /// A daemon with the notebook app and a service that wakes it.
    private func withService(
        _ body: @escaping @Sendable (TestDaemon, ServiceConnection, TestBundles) async throws -> Void
    ) async throws {
        let services = try ServiceFolder()
        try services.add()
        let bundles = try TestBundles.withNotebook(TestBundles.withPuppet())
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: services.arguments) {
            daemon in
            let host = try await daemon.host("notes")
            try await body(daemon, try await host.application.connect(toService: ServiceFolder.echo), bundles)
            host.application.disconnect()
        }
    }

    private func wake(
        _ connection: ServiceConnection, _ session: String
    ) -> Task<Result<String, any Error>, Never> {
        Task {
            do {
                let wake = Echo(text: "wake \(notebook) \(session)")
                return .success(try await connection.call(wake, .init(limit: .seconds(600))).text)
            } catch { return .failure(error) }
        }
    }

    private func code(_ result: Result<String, any Error>) -> ExtensionHostError.Code? {
        guard case .failure(let error) = result else { return nil }
        return (error as? ExtensionHostError)?.code
    }

    private func end(_ daemon: TestDaemon) async throws -> DeathRecord {
        try await eventually { try await daemon.control.exits().contains { $0.extensionIdentifier == notebook } }
        return try #require(try await daemon.control.exits().last)
    }

    private func output(_ daemon: TestDaemon) async throws -> String {
        try await Program.control(["logs", notebook], socket: daemon.address.path).ending().output
    }

    // spec: BT-12, BT-16, BT-17
    @Test("BT-12, BT-16, BT-17: an app is launched in the background, and closed 5 s after its handler")
    func anAppIsWoken() async throws {
        try await withService { daemon, connection, bundles in
            let result = await wake(connection, "photos").value
            #expect(try result.get() == "handled")
            try await eventually {
                let text = try await output(daemon)
                return text.contains("launched background") && text.contains("events photos background")
            }
            #expect(try await daemon.control.processes().contains { $0.kind == "app" })
            try await daemon.clock.advance(by: .milliseconds(4900))
            #expect(try await daemon.control.processes().contains { $0.kind == "app" })
            try await daemon.clock.advance(by: .milliseconds(200))
            let death = try await end(daemon)
            #expect(death.exit.cause == .closed && death.exit.status == 0, "\(death)")
        }
    }

    // spec: BT-16, BT-17, P-597
    @Test("BT-16, BT-17: an app that does not call the handler within 30 s is ended as wakeExpired")
    func anAppThatHangs() async throws {
        try await withService { daemon, connection, bundles in
            let waking = wake(connection, "keep")
            try await eventually { try await output(daemon).contains("events keep background") }
            try await daemon.clock.advance(by: .milliseconds(29_900))
            #expect(try await daemon.control.processes().contains { $0.kind == "app" })
            try await daemon.clock.advance(by: .milliseconds(200))
            #expect(code(await waking.value) == .timedOut)
            let death = try await end(daemon)
            #expect(death.exit.cause == .wakeExpired, "\(death)")
        }
    }

    // spec: BT-17, BT-18
    @Test("BT-17, BT-18: an app that its user opens meanwhile lives on, and gets the opening at once")
    func anAppThatIsOpenedMeanwhile() async throws {
        try await withService { daemon, connection, bundles in
            let waking = wake(connection, "keep")
            try await eventually { try await output(daemon).contains("events keep background") }
            let opened = try await daemon.control.openApp(at: bundles.app, for: .url("notebook://a"))
            #expect(!opened.isLaunched)
            try await daemon.clock.advance(by: .seconds(31))
            #expect(code(await waking.value) == .timedOut)
            try await daemon.clock.advance(by: .seconds(60))
            #expect(try await daemon.control.processes().contains { $0.kind == "app" })
            // It runs already, so it is told without a launch.
            #expect(try await wake(connection, "photos").value.get() == "handled")
            #expect(try await output(daemon).contains("events photos active"))
            try await daemon.clock.advance(by: .seconds(60))
            #expect(try await daemon.control.processes().contains { $0.kind == "app" })
            _ = try await daemon.control.kill(.identifier(notebook))
        }
    }

    // spec: BT-12
    @Test("BT-12: only the app of a registered extension is woken, and one that exits is told")
    func whoIsWoken() async throws {
        try await withService { daemon, connection, bundles in
            let stranger = await Task { () -> ExtensionHostError.Code? in
                do { _ = try await connection.call(Echo(text: "wake org.exthost.other a")) } catch {
                    return (error as? ExtensionHostError)?.code
                }
                return nil
            }.value
            #expect(stranger == .noSuchExtension)
            #expect(code(await wake(connection, "leave").value) == .interrupted)
            for window in [-1, 0, 3601] {
                #expect(code(await wake(connection, "photos \(window)").value) == .invalidArgument)
            }
        }
    }
}
