// TortureTests: a process with the real engine is killed again and again, before a server that lies.

import Foundation
import Glibc
import LinuxSystem
import LyingServer
import TestPrograms
import Testing

@Suite struct TortureTests {
    /// Runs a worker; it is killed after `steps` steps, or comes to its end. Returns its status; nil if it was killed.
    private func run(_ arguments: [String], killedAfter steps: Int) async throws -> Int32? {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let worker = tests.deletingLastPathComponent().appendingPathComponent("TransferWorker").path
        let program = try Program(worker, arguments, environment: ["SWIFT_BACKTRACE": "enable=no"])
        // It writes a line for each step.
        var count = 0
        for await _ in program.lines where count < steps {
            count += 1
            if count == steps { try program.kill() }
        }
        return try await program.ending().status
    }

    // spec: BT-30
    @Test(
        "BT-30, BT-32: killed at random moments, with a server that cuts, stalls and lies: none corrupt, doubled, lost, left"
    )
    func kills() async throws {
        let wanted = getenv("EXTHOST_LONG_TESTS") == nil ? 25 : 1_000
        let root = try TemporaryDirectory(prefix: "exthost-torture")
        defer { try? root.remove() }
        try FileManager.default.createDirectory(atPath: root.path + "/group", withIntermediateDirectories: false)
        let server = try LyingServer(seed: 28)
        defer { server.stop() }
        var generator = SystemRandomNumberGenerator()
        var (kills, first) = (0, 0)
        let batch = 9
        while kills < wanted {
            try #require(first <= batch * (wanted + 10), "the workers end before they are killed")
            var lives = 0
            while true {
                lives += 1
                try #require(lives < 200, "the transfers from \(first) on do not end")
                let steps = kills < wanted ? Int.random(in: 1...120, using: &generator) : Int.max
                let status = try await run(
                    [root.path, "http://127.0.0.1:\(server.port)", "\(first)", "\(batch)"], killedAfter: steps)
                if let status {
                    try #require(status == 0, "5 is a task that was acknowledged to its author, and lost")
                    break
                }
                kills += 1
            }
            first += batch
        }
        let ledger = try String(contentsOfFile: root.path + "/ledger", encoding: .utf8)
        // An event may be delivered twice if the process died before it confirmed it, but it is the same event.
        let lines = Set(
            ledger.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }.filter { $0[0] != "added" })
        #expect(Set(lines.map { $0[0] }) == Set((0..<first).map { "\($0)" }), "lost")
        #expect(lines.count == first, "doubled")
        #expect(Set(lines.map { $0[2] }) == ["v0", "v1"])
        let left = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        let files = left.filter { $0.hasSuffix(".part") || $0.hasSuffix(".body") || $0.hasSuffix(".download") }
        #expect(files == [])
    }
}
