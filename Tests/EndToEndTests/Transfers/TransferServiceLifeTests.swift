// TransferServiceLifeTests: the service of transfers is killed, rests, or is not there when it is needed.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Glibc
import TestPrograms
import Testing
import TransferMessages

@Suite struct TransferServiceLifeTests {
    private static let fetcher = "org.exthost.tests.fetcher"

    private func withTransfers(
        _ answers: [TransferAnswer], _ body: (TestDaemon, TestBundles) async throws -> Void
    ) async throws {
        let bundles = try TestBundles.withFetcher()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            try await daemon.answerTransfers(answers)
            try await body(daemon, bundles)
        }
    }

    /// Shares a text with the extension, and ends its process.
    private func share(_ text: String, _ daemon: TestDaemon) async throws {
        let host = try await daemon.host("browser")
        let item = NSExtensionItem()
        item.attributedContentText = NSAttributedString(string: text)
        let request = try await host.begin(Self.fetcher, items: [item])
        #expect(await request.outcome.kind == .completed)
        _ = try await daemon.control.kill(.identifier(Self.fetcher))
        try await eventually { try await !daemon.control.processes().contains { $0.kind == nil } }
        host.application.disconnect()
    }

    private func logs(_ daemon: TestDaemon, _ identifier: String = notebook) async throws -> String {
        try await Program.control(["logs", identifier], socket: daemon.address.path).ending().output
    }

    private func service(_ daemon: TestDaemon) async throws -> ProcessRecord? {
        try await daemon.control.processes().first { $0.kind == "service" }
    }

    private func sessions(_ daemon: TestDaemon) async throws -> [TransferSessionRecord] {
        let host = try await daemon.host("tool").application
        defer { host.disconnect() }
        return try await host.connect(toService: transferServiceName).call(ListTransferSessions()).sessions
    }

    private static let one = TransferAnswer("https://example.org/one", body: Array("first".utf8), duration: 1)

    // spec: BT-23
    @Test("BT-23: an app that ends before its handler is woken again after 60 s, and gets the same events")
    func anAppThatEndsIsWokenAgain() async throws {
        try await withTransfers([Self.one]) { daemon, _ in
            try await share("fails https://example.org/one", daemon)
            try await daemon.clock.advance(by: .seconds(2))
            try await eventually { try await logs(daemon).contains("woken for fails") }
            try await eventually { try await daemon.control.exits().last?.extensionIdentifier == notebook }
            try await eventually { try await logs(daemon, transferServiceName).contains("did not get the events") }
            try await daemon.clock.advance(by: .seconds(57))
            #expect(try await !logs(daemon).contains("kept one"))
            try await daemon.clock.advance(by: .seconds(4))
            try await eventually { try await logs(daemon).contains("events finished") }
            #expect(try await logs(daemon).contains("kept one"))
        }
    }

    // spec: BT-32
    @Test("BT-32: a service that is killed is launched again, and wakes the app for events that wait")
    func aKilledServiceGoesOn() async throws {
        try await withTransfers([Self.one]) { daemon, _ in
            try await share("fails https://example.org/one", daemon)
            try await daemon.clock.advance(by: .seconds(2))
            try await eventually { try await logs(daemon, transferServiceName).contains("did not get the events") }
            let killed = try #require(try await service(daemon))
            #expect(Glibc.kill(pid_t(killed.pid), SIGKILL) == 0)
            try await eventually { try await daemon.control.exits().last?.extensionIdentifier == transferServiceName }
            #expect(try await service(daemon) == nil)
            try await daemon.clock.advance(by: .milliseconds(1100))
            try await eventually { try await logs(daemon).contains("events finished") }
            #expect(try await logs(daemon).contains("kept one"))
            #expect(try await service(daemon)?.pid != killed.pid)
        }
    }

    // spec: BT-34
    @Test("BT-34: the removal of an app reaches a service that rests") func theServiceRests() async throws {
        try await withTransfers([Self.one]) { daemon, bundles in
            try await share("photos suspended https://example.org/one", daemon)
            #expect(try await sessions(daemon).map(\.unfinished) == [1])
            try await daemon.clock.advance(by: .seconds(62))
            try await eventually { try await service(daemon) == nil }
            #expect(try await daemon.control.exits().last?.exit.cause == .idle)
            _ = try await daemon.control.remove(path: bundles.app)
            try await eventually { try await service(daemon) != nil }
            try await eventually { try await sessions(daemon).isEmpty }
        }
    }

    // spec: BT-25
    @Test(
        "BT-25: a task of an app in the background waits, and one that it begins once its user has opened it does not")
    func theAppIsOpened() async throws {
        let answers = [Self.one] + ["in-background", "of-a-person"].map { TransferAnswer("https://example.org/\($0)") }
        try await withTransfers(answers) { daemon, bundles in
            try await share("more https://example.org/one", daemon)
            try await daemon.clock.advance(by: .seconds(2))
            try await eventually { try await logs(daemon).contains("events finished") }
            _ = try await daemon.control.openApp(at: bundles.app, for: .url("fetcher:"))
            try await eventually { try await logs(daemon).contains("kept of-a-person") }
            #expect(try await !logs(daemon).contains("kept in-background"))
            try await daemon.clock.advance(by: .seconds(61))
            try await eventually { try await logs(daemon).contains("kept in-background") }
            _ = try await daemon.control.kill(.identifier(notebook))
        }
    }

    @Test("the copy of a large upload ends on a clock that stands still") func aLargeUpload() async throws {
        try await withTransfers([TransferAnswer("https://example.org/one", status: 201, duration: 1)]) { daemon, _ in
            try await share("photos upload https://example.org/one", daemon)
            try await daemon.clock.advance(by: .seconds(2))
            try await eventually { try await logs(daemon).contains("completed 1 201") }
        }
    }
}
