// RandomKillTests: whoever is killed, and whenever, nothing of it is left, and nobody else is harmed.

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct RandomKillTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let player: Driver.Player
        let means: String
        var testDescription: String { "\(player.rawValue), \(means)" }
    }

    /// A sanitizer's daemon could not write its report as another user.
    static let rows =
        ([
            Row(player: .root, means: "namespace"), Row(player: .user, means: "namespace"),
            Row(player: .user, means: "guardian"),
        ] + (TreeKillMeans.hasGroups ? [Row(player: .root, means: "cgroup")] : []))
        .filter { $0.player == (geteuid() == 0 ? .root : .user) || geteuid() == 0 && !isSanitized }

    /// The kills of each row. With four rows eighty together take 30 s; the long tests have more than a thousand.
    static let rounds = isLong ? 340 : 20

    /// Of a host, the daemon, an extension or a descendant, while requests, loads and completion work are under way.
    @Test(arguments: rows) func nothingOutlivesARandomKill(row: Row) async throws {
        try await Self.play(row, goneWithin: 60)
    }

    static func play(_ row: Row, goneWithin seconds: Int) async throws {
        let bundles = try TestBundles.withPuppet(.python)
        try bundles.add(
            "single", script: try TestBundles.source("Tests/Fixtures/Python/puppet.py"),
            beside: ["exthost.py": try TestBundles.source("Sources/Samples/Python/exthost.py")],
            point: "com.apple.app.non-ui-extension")
        let seed = ProcessInfo.processInfo.environment["EXTHOST_SEED"] ?? "\(UInt32.random(in: 1 ... .max))"
        let timers = ["idle=50ms", "firstRequest=50ms", "expire=100ms", "term=100ms", "postComplete=100ms"]
        let options = ["--tree-kill", row.means] + timers.flatMap { ["--timer", $0] }
        var kills: [String: Int] = [:]
        var times: [Double] = []
        try await Driver(row.player, bundles).play(
            "chaos", after: [seed, "\(rounds)"] + options, goneWithin: seconds
        ) { round, line in
            #expect(round.wrong.isEmpty, "seed \(seed): \(line)")
            kills[round.killed ?? "", default: 0] += 1
            if let time = round.took?["gone"] { times.append(time) }
        }
        #expect(times.count == rounds)
        let who = kills.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        StandardStreams.writeError(
            "random kills, \(row.testDescription), seed \(seed): \(who); gone after \(Spread(times))\n")
    }
}
