// IndexDeathTests: the store after its process was killed at each step of its writing.

import Foundation
import LinuxSystem
import PropertyListCoding
import SpotlightStore
import TestPrograms
import Testing

@Suite struct IndexDeathTests {
    private static let writer =
        URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
        .deletingLastPathComponent().path + "/IndexWriter"

    /// Runs the writer of the batches from one on, until it has written three or is killed.
    private func run(_ path: String, _ first: Int, _ step: Int, _ losesWrites: Bool) async throws -> (
        Program.Ending, steps: Int?, last: Int
    ) {
        let ending = try await Program.ending(
            of: Self.writer, [path, "\(first)", "3", "\(step)", losesWrites ? "1" : "0"])
        let lines = ending.output.split(separator: "\n")
        let steps = lines.last.flatMap { $0.hasPrefix("steps ") ? Int($0.dropFirst(6)) : nil }
        return (ending, steps, lines.compactMap { Int($0) }.last ?? first - 1)
    }

    // spec: SI-7, SI-17
    @Test(arguments: [false, true]) func aKillLeavesWholeBatchesOnly(_ losesWrites: Bool) async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let (whole, steps, _) = try await run(folder.path + "/whole", 0, 0, losesWrites)
        #expect(whole.status == 0, "\(whole)")
        let all = try #require(steps)
        // Each kill is of another store, and each store is written again after its kill.
        for step in stride(from: 1, through: all, by: max(1, all / 40)) {
            let path = "\(folder.path)/\(step)"
            let (killed, _, last) = try await run(path, 0, step, losesWrites)
            #expect(killed.exit == .signalled(SIGKILL, coreDumped: false), "\(step): \(killed)")
            let stored: Int
            do {
                let store = try SpotlightStore(path: path)
                try store.verify()
                stored = Int(try store.clientState(of: "main", family: "app")?.first ?? 0)
                // A batch whose end was told is there, and one more may be.
                #expect(stored == last + 1 || stored == last + 2, "\(step)")
                #expect(try store.count() == stored * 20)
            }
            let (again, _, _) = try await run(path, stored, 0, losesWrites)
            #expect(again.status == 0, "\(again)")
            let store = try SpotlightStore(path: path)
            try store.verify()
            #expect(try store.count() == (stored + 3) * 20)
        }
    }
}
