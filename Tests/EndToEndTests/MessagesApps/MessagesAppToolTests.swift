// MessagesAppToolTests: the tools for iMessage apps.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct MessagesAppToolTests {
    private func run(_ arguments: String...) async throws -> Program.Ending {
        try await Program.control(
            ["run", try samples() + "/Samples.app/PlugIns/CoinFlip.appex", "--ephemeral"] + arguments
        ).ending()
    }

    // spec: MS-17
    @Test("MS-17: run opens an app, lets a person use it, and shows the field and the transcript") func run()
        async throws
    {
        let bet = try await run("--tap", "Heads", "--field", "send")
        #expect(
            bet.status == 0 && bet.output.contains("opened: org.exthost.samples.coin-flip")
                && bet.output.contains(
                    "1. me: message, “I bet on Heads”, “Coin Flip”, https://example.org/coin?bet=Heads"),
            "\(bet)")
        let flip = try await run("--select", "https://example.org/coin?bet=Heads", "--tap", "Flip", "--json")
        #expect(flip.status == 0 && flip.output.contains("bet=Heads&side="), "\(flip)")
        #expect(
            flip.output.contains("\"style\": \"compact\"") || flip.output.contains("\"style\":\"compact\""), "\(flip)")
        let removed = try await run("--tap", "Tails", "--field", "cancel")
        #expect(removed.status == 0 && !removed.output.contains("input field"), "\(removed)")
        let incoming = try await run(
            "--incoming", "https://example.org/coin?bet=Tails", "--style", "expanded", "--json")
        #expect(incoming.status == 0 && incoming.output.contains("The bet is on Tails"), "\(incoming)")
        let none = try await run("--field", "send")
        #expect(none.status == 1 && none.output.contains("failed: "), "\(none)")
        for wrong in [["--style", "large"], ["--field", "lose"]] {
            let ending = try await Program.control(
                ["run", try samples() + "/Samples.app/PlugIns/CoinFlip.appex", "--ephemeral"] + wrong
            ).ending()
            #expect(ending.status == 64, "\(ending)")
        }
    }

    // spec: MS-17, PC-27
    @Test("MS-17, PC-27: scenarios hold a conversation") func scenario() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let path = folder.path + "/coin.scenario"
        let lines = """
            extension org.exthost.samples.coin-flip
            test "a bet is sent"
            imessage open
            expect result opened
            view tap Heads
            imessage look
            expect shown field.message.texts.caption = "I bet on Heads"
            imessage send
            expect shown transcript.0.content.url = "https://example.org/coin?bet=Heads"
            expect view "Sent"
            imessage receive "https://example.org/coin?bet=Tails"
            expect view "The bet is on Tails"
            imessage select 1
            expect view "The bet is on Heads"
            imessage expanded
            expect shown style = "expanded"
            view tap Flip
            imessage cancel
            imessage close
            expect result opened
            expect outcome completed

            """
        try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
        let ending = try await Program.control(["test", path, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 0, "\(ending.output)")
    }

    // spec: MS-12, MS-17
    @Test("MS-12, MS-17: a scenario sees that an app has left") func dismissal() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "chat", program: SampleApplications.buildFolder + "/Chatter", point: "com.apple.message-payload-provider",
            principalClass: "Chatter.Chatter")
        let path = bundles.path + "/leave.scenario"
        let lines = """
            extension org.exthost.tests.chat
            test "the app leaves"
            imessage open
            view tap dismiss
            imessage look
            expect result dismissed

            """
        try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
        let ending = try await Program.control(["test", path, "--applications", bundles.path, "--tap"]).ending()
        #expect(ending.status == 0, "\(ending.output)")
    }
}
