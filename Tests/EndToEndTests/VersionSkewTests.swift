// VersionSkewTests: clients and extensions of another version: work together, or are refused readably.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

struct VersionSkewTests {
    @Test(
        arguments: [
            ("1.0 1.5", "1.3"), ("0.9 1.0", "1.0"), ("1.0 1.0", "1.0"), ("1.1 1.1", "1.1"), ("0.1 3.7", "1.3"),
        ],
        ["host", "control"])
    func aClientOfAnotherMinorVersionWorks(versions: (range: String, settled: String), role: String) async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let verdict = try await HostilePeer.run(as: role, "skewed", ranging: versions.range, against: daemon)
            #expect(verdict.code == 0)
            #expect(verdict.message == versions.settled)
        }
    }

    @Test(arguments: ["2.0 3.0", "0.1 0.9", "1.4 1.5"], ["host", "control"])
    func aClientWithNoCommonVersionIsToldBothRanges(range: String, role: String) async throws {
        try await withTestDaemon(applications: []) { daemon in
            let verdict = try await HostilePeer.run(as: role, "skewed", ranging: range, against: daemon)
            #expect(verdict.code == ExtensionHostError.Code.versionMismatch.rawValue)
            #expect(verdict.message.contains("1.0 to \(ProtocolVersion.current)"))
            #expect(verdict.message.contains(range.replacing(" ", with: " to ")))
        }
    }

    /// The Python foundation, with another hello.
    @Test(arguments: [
        ("1.0", "1.5", nil), ("0.9", "1.0", nil), ("2.0", "3.0", Cause.protocolViolation),
        ("0.1", "0.9", .protocolViolation),
    ])
    func anExtensionOfAnotherVersionServesOrSaysWhyNot(minimum: String, maximum: String, cause: Cause?) async throws {
        let bundles = try TestBundles()
        let foundation = try TestBundles.source("Sources/Samples/Python/exthost.py")
        let (from, to) = (#""minimum": "1.0","#, #""maximum": "1.2","#)
        try #require(foundation.contains(from) && foundation.contains(to))
        let skewed = foundation.replacing(from, with: #""minimum": "\#(minimum)","#)
            .replacing(to, with: #""maximum": "\#(maximum)","#)
        try bundles.add(
            "skewed", script: try TestBundles.source("Sources/Samples/Python/Python.py"), beside: ["exthost.py": skewed]
        )
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "launch=30s"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.skewed", items: [.url("https://example.org")])
            let outcome = await request.outcome
            guard let cause else {
                return #expect(try items(of: outcome).first?.userInfo?["shared"] as? String == "https://example.org")
            }
            #expect(outcome.cause == cause)
            let why = try #require(await request.explanation)
            #expect(why.code == .versionMismatch)
            #expect(why.message.contains("\(minimum) to \(maximum)"))
            #expect(why.remedy != nil)
        }
    }

    // MARK: A daemon of protocol 1.0

    /// Starts one at a path of its own, and ends it with the test.
    private func withOldDaemon(_ body: (_ socket: String, _ daemon: Program) async throws -> Void) async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let socket = folder.path + "/host.sock"
        let daemon = try Program.run(
            SampleApplications.root + "/Tests/Fixtures/Python/olddaemon.py", [socket], socket: socket)
        try await daemon.shows("ready")
        try await body(socket, daemon)
        try daemon.kill()
    }

    @Test(arguments: [
        ["match", "--text", "x"], ["explain", "org.example.old", "--text", "x"],
        ["run", "org.example.old", "--text", "x", "--force"],
        ["list", "-A"], ["list", "-D"], ["list", "-p", "com.apple.share-services"], ["which", "org.example.old"],
        ["show", "org.example.old"], ["show", "--point"], ["add", "/usr"], ["remove", "/usr"],
        ["elect", "use", "org.example.old"],
    ])
    func whatAnOldDaemonDoesNotKnowIsRefusedReadablyAndNeverSent(arguments: [String]) async throws {
        try await withOldDaemon { socket, daemon in
            let ending = try await Program.control(arguments, socket: socket).ending()
            #expect(ending.status == ExtensionHostError.Code.versionMismatch.exitStatus, "\(ending.errors)")
            #expect(ending.errors.contains("the daemon speaks protocol 1.0"))
            #expect(ending.errors.contains("needs \(ProtocolVersion.withRegistry)"))
            #expect(ending.errors.contains("Bring exthostd up to date"))
            // What it does know is answered as ever, on a connection of the same kind.
            let list = try await Program.control(["list"], socket: socket).ending()
            #expect(list.status == 0 && list.output.contains("org.example.old(1)"), "\(list.errors)")
            try daemon.kill()
            for line in try await daemon.ending().output.split(separator: "\n").dropFirst() {
                let heard = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                let kind = try #require(MessageKind(rawValue: UInt16(heard?["kind"] as? Int ?? 0)))
                #expect(kind.since == .lowest)
                #expect((heard?["keys"] as? [String])?.contains("force") == false)
            }
        }
    }

    /// The same of the kit: what fails fails alone, and the connection goes on.
    @Test func aHostOfAnOldDaemonIsToldWhichOfItsQuestionsThatDoesNotKnow() async throws {
        try await withOldDaemon { socket, _ in
            let host = try await HostApplication.connect(name: "notes", to: DaemonAddress(path: socket))
            await #expect(
                performing: {
                    try await host.extensions(accepting: [.text("x")])
                }, throws: { ($0 as? ExtensionHostError)?.code == .versionMismatch })
            #expect(try await host.extensions().map(\.identifier) == ["org.example.old"])
            #expect(throws: ExtensionHostError.self) {
                try host.start("org.example.old", items: [.text("x")], force: true)
            }
            await #expect(
                performing: {
                    try await host.begin("org.example.old", items: [.text("x")])
                }, throws: { ($0 as? ExtensionHostError)?.code == .noSuchExtension })
            var lists = host.discover(accepting: [.text("x")]).makeAsyncIterator()
            await #expect(
                performing: { _ = try await lists.next() },
                throws: {
                    ($0 as? ExtensionHostError)?.code == .versionMismatch
                })
        }
    }
}
