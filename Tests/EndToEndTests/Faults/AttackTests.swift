// AttackTests: a process that takes all it can get, in 44 ways, and what another host of its user notices.

import Foundation
import Glibc
import Testing

@Suite struct AttackTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let player: Driver.Player
        let means: String
        var share = "1/1"
        var testDescription: String { "\(player.rawValue), \(means), \(share)" }
    }

    private static let players: [Driver.Player] = geteuid() == 0 ? (isSanitized ? [.root] : [.root, .user]) : [.user]
    static let means = players.flatMap { player in ["namespace", "guardian"].map { Row(player: player, means: $0) } }

    /// Each attack once, by one player or the other.
    static let shares = (1...4).map {
        Row(player: players[$0 % players.count], means: "namespace", share: "\($0)/4")
    }

    /// All requests of the other host complete, the daemon serves on, and nothing stays, whoever attacks.
    @Test(arguments: shares) func noAttackIsFeltByAnotherHost(row: Row) async throws {
        try await Self.play(row, ["--seconds", "0.2"])
    }

    /// Plays `attacks.py`, whose head says what it holds for wrong.
    static func play(_ row: Row, _ arguments: [String]) async throws {
        var rounds = 0
        // A fork bomb counts against its user, and other tests have the usual one.
        let driver = try Driver(row.player, TestBundles.withPuppet(.python), user: 65533)
        try await driver.play(
            "attacks", after: arguments + ["--share", row.share, "--option", "--tree-kill", "--option", row.means],
            makesBundles: true, goneWithin: 60
        ) { round, line in
            #expect(round.wrong.isEmpty, "\(line)")
            rounds += 1
        }
        #expect(rounds > 0)
    }
}
