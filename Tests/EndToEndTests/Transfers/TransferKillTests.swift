// TransferKillTests: extension, app, service and daemon are killed at random while files are downloaded from a server
// that lies; none is corrupt, doubled, lost or left over.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Glibc
import LyingServer
import Testing
import TransferMessages

@Suite struct TransferKillTests {
    private static let fetcher = "org.exthost.tests.fetcher"
    private static let batch = 3

    /// The files whose download the service has accepted, so that it has to end well, and the others.
    private struct Ledger {
        var certain: [Int] = []
        var possible: [Int] = []
    }

    /// Shares one batch; the extension completes once all of it is stored.
    private func share(_ first: Int, _ server: LyingServer, _ host: HostApplication, _ ledger: inout Ledger)
        async throws
    {
        let files = Array(first..<first + Self.batch)
        let item = NSExtensionItem()
        let urls = files.map { "http://127.0.0.1:\(server.port)/\($0)" }
        item.attributedContentText = NSAttributedString(string: "batch-\(first) " + urls.joined(separator: " "))
        do {
            let request = try await host.begin(Self.fetcher, items: [item])
            guard case .completed(let items) = await request.outcome else { return ledger.possible += files }
            let words = items.compactMap(\.attributedContentText?.string).joined(separator: " ").split(separator: " ")
            let accepted = words.compactMap { Int($0) }
            ledger.certain += accepted
            ledger.possible += files.filter { !accepted.contains($0) }
        } catch {
            ledger.possible += files
        }
    }

    /// Kills one of the processes, or the daemon; returns what it was. Nil if it was gone.
    private func killOne(_ manager: StandInManager, _ control: DaemonControl) async -> String? {
        if Int.random(in: 0..<4) == 0 { return manager.kill() ? "daemon" : nil }
        guard let victim = try? await control.processes().randomElement(), Glibc.kill(pid_t(victim.pid), SIGKILL) == 0
        else { return nil }
        return victim.kind ?? "extension"
    }

    // spec: BT-23, BT-32
    @Test(
        "BT-23, BT-32: extension, app, service and daemon are killed: no download is corrupt, doubled, lost or left",
        .enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "it is a soak"))
    func anybodyIsKilled() async throws {
        let wanted = getenv("EXTHOST_KILLS").flatMap { Int(String(cString: $0)) } ?? 1_000
        let bundles = try TestBundles.withFetcher()
        let server = try LyingServer(seed: 31)
        defer { server.stop() }
        try await withRestartingDaemon(bundles: bundles, ["--breaker", "off"]) { manager in
            let host = try await HostApplication.connect(name: "browser", to: manager.address)
            var ledger = Ledger()
            var victims: [String: Int] = [:]
            var first = 0
            // On a slow machine every extension may have been killed too early: the last batch meets nobody.
            while victims.values.reduce(0, +) < wanted || ledger.certain.isEmpty {
                let tries = victims.values.reduce(0, +) < wanted ? 4 : 0
                let killer = Task {
                    var hit: [String] = []
                    for _ in 0..<tries {
                        // The moment is left to chance.
                        try await Task.sleep(for: .milliseconds(Int.random(in: 0...500)))
                        guard let control = try? await DaemonControl.connect(name: "killer", to: manager.address) else {
                            continue
                        }
                        if let victim = await killOne(manager, control) { hit.append(victim) }
                    }
                    return hit
                }
                try await share(first, server, host, &ledger)
                for victim in try await killer.value { victims[victim, default: 0] += 1 }
                first += Self.batch
            }
            print("killed:", victims)
            for victim in ["daemon", "service", "app", "extension"] where wanted >= 1_000 {
                #expect(victims[victim, default: 0] >= 10, "\(victim)")
            }
            try await end(manager, host)
            try check(ledger, manager)
        }
    }

    /// Waits until nothing is left to be transferred or delivered.
    private func end(_ manager: StandInManager, _ host: HostApplication) async throws {
        var isLast = false
        while true {
            do {
                let tool = try await host.connect(toService: transferServiceName)
                for session in try await tool.call(ListTransferSessions()).sessions {
                    let name = TransferSessionName(identifier: session.identifier)
                    // What an extension was killed over is suspended, and nobody resumes it.
                    if isLast { _ = try await tool.call(StopTransfers(name)) }
                    // An app that was killed meanwhile is woken again later, and now if somebody asks for it.
                    _ = try await tool.call(DeliverTransferEvents(name, to: .app))
                }
                _ = try await tool.call(AwaitTransfers(of: notebook), .init(limit: .seconds(120)))
                let left = try await tool.call(ListTransferSessions()).sessions.filter { $0.events + $0.unfinished > 0 }
                if left.isEmpty { return }
                isLast = left.allSatisfy { $0.events == 0 }
            } catch let error as ExtensionHostError
                where [.connectionLost, .serviceUnavailable, .interrupted].contains(error.code)
            {
                // The last kills have ended the service or the daemon.
                continue
            }
        }
    }

    private func check(_ ledger: Ledger, _ manager: StandInManager) throws {
        let containers = manager.folder.path + "/data/exthost/Containers"
        let group = containers + "/Shared/AppGroup/group.org.exthost.tests"
        var lost: [Int] = []
        for number in ledger.certain + ledger.possible {
            guard let bytes = FileManager.default.contents(atPath: "\(group)/\(number)") else {
                if ledger.certain.contains(number) { lost.append(number) }
                continue
            }
            let versions = [0, 1].map { workerFile(number, version: $0) }
            #expect(versions.contains([UInt8](bytes)), "file \(number) is corrupt: \(bytes.count) bytes")
        }
        #expect(lost.isEmpty, "lost\n\(manager.words)")
        let kept = try String(contentsOfFile: group + "/list", encoding: .utf8).split(separator: "\n")
        #expect(Set(kept).count == kept.count, "doubled")
        let left = (FileManager.default.enumerator(atPath: containers)?.compactMap { $0 as? String } ?? []).filter {
            $0.hasSuffix(".part") || $0.hasSuffix(".body") || $0.contains("exthost-downloads/")
        }
        #expect(left.isEmpty, "left over")
    }
}
