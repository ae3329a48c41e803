// CredentialStoreTests: the identities of apps, and the secrecy of passwords (spec CP-4).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct CredentialStoreTests {
    // spec: CP-4, P-650, P-653
    // not simulated: N-190
    @Test("CP-4: an app saves, replaces and removes its identities") func anApp() async throws {
        let own = try TestBundles.withNotebook()
        let strange = try TestBundles(application: "net.other.tests")
        try CredentialTests.add(to: own)
        try CredentialTests.add(to: strange, act: "save", identifier: "net.other.tests.provider")
        try await withTestDaemon(applications: [own.path, strange.path]) { daemon in
            let strangeOutput = Output()
            let host = try await daemon.host("browser", onOutput: strangeOutput.add).application
            var limits = CredentialStoreLimits()
            limits.identities = 100
            let credentials = CredentialHost(host, limits: limits)
            let (app, control, output) = try await launch(own, daemon)
            func order(_ path: String, _ answer: String, _ location: SourceLocation = #_sourceLocation) async throws {
                let before = output.text
                _ = try await launch(own, daemon, for: .url("notebook://credentials/\(path)"))
                try await eventually { output.text.dropFirst(before.count).contains(answer) }
            }
            func users() async throws -> [String] {
                try await credentials.identities(of: CredentialTests.provider).map(\.user)
            }
            let domain = CredentialStoreFault.domain
            try await order("state/x", "state false false\n")
            try await order("save/ada", "error serviceUnavailable\n")
            try await credentials.serve()
            try await order("state/x", "state false true\n")
            try await order("save/ada", "error \(domain) 1\n")
            _ = try await credentials.enable(CredentialTests.provider)
            try await order("state/x", "state true true\n")
            // The later ones have the higher rank.
            try await order("save/ada,eve", "changed true\n")
            #expect(try await users() == ["eve", "ada"])
            try await order("save/ada", "changed true\n")
            try await order("list/x", "listed eve 1,ada 0\n")
            try await order("remove/eve,nobody", "changed true\n")
            #expect(try await users() == ["ada"])
            try await order("replace/alan,grace", "changed true\n")
            #expect(try await users() == ["grace", "alan"])
            // A change counts as a whole.
            try await order("fill/101", "error \(domain) 0\n")
            #expect(try await users() == ["grace", "alan"])
            try await order("passkey/ada", "error notSimulated\n")
            #expect(try await users() == ["grace", "ada", "alan"])

            // Another family has identities of its own.
            let other = "net.other.tests.provider"
            _ = try await credentials.enable(other)
            #expect(try await credentials.identities(of: other).isEmpty)
            let session = try await credentials.list(for: [CredentialTests.service], from: other)
            try await eventually { strangeOutput.text.contains("saved true -") }
            await session.cancel()
            let found = try await credentials.identities(for: CredentialTests.service, of: other)
            #expect(found.map(\.user) == ["ada"] && found.first?.record == "record 1")
            try await order("list/x", "listed grace 1,ada 0,alan 0\n")
            try await order("clear/x", "changed true\n")
            #expect(try await users().isEmpty)
            #expect(try await credentials.identities(of: other).count == 1)
            // A disabled provider offers nothing, and its identities go.
            try await credentials.disable(other)
            _ = try await credentials.enable(other)
            #expect(try await credentials.identities(of: other).isEmpty)
            withExtendedLifetime((app, control, credentials)) {}
        }
    }

    // spec: CP-4
    @Test("CP-4: no password stands in transcripts, logs and reports") func secrecy() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let bundles = try CredentialTests.bundles()
        let state = folder.path + "/state"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        let file = folder.path + "/session.jsonl"
        var arguments = ["record", file, "--contents", "--applications", bundles.path, "--"]
        arguments += [SampleApplications.buildFolder + "/exthostctl", "run", CredentialTests.provider]
        var written = ""
        for (options, status) in [
            (["--identity", "ada"], Int32(0)), (["--identity", "later", "--json"], 0),
            (["--identity", "locked", "--tap", "Choose"], 0), (["--tap", "Choose"], 0), (["--tap", "Twice"], 0),
            (["--tap", "Long"], nil), (["--tap", "Die"], nil),
        ] as [([String], Int32?)] {
            try? FileManager.default.removeItem(atPath: file)
            let ending = try await Program.control(arguments + options, socket: nil).ending()
            if let status { #expect(ending.status == status, "\(options): \(ending)") }
            let transcript = try String(contentsOfFile: file, encoding: .utf8)
            #expect(transcript.contains(#""contents": true"#))
            // The user's name shows that the transcript has contents.
            if status == 0 {
                #expect(transcript.contains(#""<confidential>""#), "\(options)")
                #expect(transcript.contains(#""user": "ada""#) || options.contains("later"), "\(options)")
            }
            written += transcript + ending.output + ending.errors
        }
        #expect(
            !written.contains("secret"),
            "\(written.components(separatedBy: "\n").first { $0.contains("secret") } ?? "")")
        // What the extension prints is among it.
        #expect(written.contains("provide ada https://example.org"))
    }

    // spec: CP-4
    @Test("CP-4: the event log and the output of a daemon have no password") func logs() async throws {
        try await CredentialTests.with { stage in
            let file = stage.bundles.path + "/session.jsonl"
            let recorder = try await stage.daemon.record(to: file, contents: true)
            _ = try await stage.ending("ada")
            let dead = try await stage.list()
            _ = try? await dead.use(.tap("Die"))
            _ = await dead.ending
            try await recorder.stop()
            var written = try String(contentsOfFile: file, encoding: .utf8) + (try await stage.daemon.timeline())
            for event in try await stage.daemon.events() { written += "\(event)\n" }
            written += stage.output.text
            #expect(written.contains("<confidential>") && written.contains("provide ada"))
            #expect(!written.contains("secret"))
        }
    }
}
