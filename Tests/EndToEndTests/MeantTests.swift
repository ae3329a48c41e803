// MeantTests: mistakes of whoever types a command, told by what they are and with what was meant.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct MeantTests {
    @Test(arguments: [
        (["lst"], "there is no verb “lst”. Is list meant?"), (["fault", "ad"], "exthostctl fault has no verb “ad”. "),
        (["./Notes"], "there is no verb “./Notes”. exthostctl --help"),
        (["statsu", "--json"], "Is status or stats meant?"),
    ])
    func aVerb(_ arguments: [String], _ words: String) async throws {
        let ending = try await Program.control(arguments, socket: "/nonexistent").ending()
        #expect(ending.status == 64 && ending.errors.contains(words), "\(ending)")
    }

    @Test func anIdentifier() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            for verb in [["run", "--text", "x"], ["show"], ["explain", "--text", "x"], ["elect", "use"], ["reset"]] {
                let name = verb == ["elect", "use"] ? ["org.exthost.sample.hang"] : []
                let words = name.isEmpty ? [verb[0], "org.exthost.sample.hang"] + verb.dropFirst() : verb + name
                let ending = try await control(words, daemon)
                #expect(ending.status == 66, "\(ending)")
                #expect(ending.errors.contains("Is org.exthost.samples.hang meant?"), "\(words): \(ending)")
            }
        }
    }

    @Test func anExtensionPoint() async throws {
        for (name, near) in [("shar", "share-services"), ("com.apple.share-servces", "com.apple.share-services")] {
            let ending = try await Program.control(["show", "--point", name], socket: nil).ending()
            #expect(ending.status == 66 && ending.errors.contains("\(near) meant?"), "\(ending)")
        }
    }

    @Test func aFolderOrAFile() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-meant")
        defer { try? folder.remove() }
        try FileManager.default.createDirectory(
            atPath: folder.path + "/Notes/Sources", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: folder.path + "/share.scenario"))
        for (words, near) in [
            (["run", folder.path + "/Note", "--text", "x"], "/Notes"), (["lint", folder.path + "/Ntes"], "/Notes"),
            (["test", folder.path + "/share.scenari"], "/share.scenario"),
            (["test", "--matrix", folder.path + "/Notez"], "/Notes"),
            (["lint", folder.path + "/Nots/Sources"], "/Notes/Sources"),
            (["lint", folder.path + "/Nots/other"], "/Notes"),
        ] {
            let ending = try await Program.control(words, socket: "/nonexistent").ending()
            #expect(
                ending.status == 66 && ending.errors.contains("Is \(folder.path)\(near) meant?"), "\(words): \(ending)")
        }
    }

    @Test func aPayloadThatWasForgotten() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let ending = try await control(["run", "org.exthost.samples.share"], daemon)
            #expect(ending.status == 13 && ending.output.contains("the request has no items"), "\(ending)")
            #expect(ending.output.contains("--url, --text or --file"), "\(ending)")
            // With one that is not accepted the near miss is what counts.
            let other = try await control(
                ["run", "org.exthost.samples.share", "--data", "public.png=\(SampleApplications.root)/README.md"],
                daemon)
            #expect(other.status == 13 && !other.output.contains("has no items"), "\(other)")
        }
    }

    @Test(arguments: [
        ("#!/nonexistent/python9\n", "interrupted (launchFailed)", "header is missing"),
        ("#!/usr/bin/env python99\n", "interrupted (exitedEarly)", "was not found: exit status 127"),
        ("no program\n", "interrupted (launchFailed)", "with #! and an interpreter"),
    ])
    func aProgramThatCannotBeExecuted(_ text: String, _ outcome: String, _ words: String) async throws {
        let bundles = try TestBundles()
        let path = bundles.path + "/program"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o755)
        let ending = try await Program.control(["run", path, "--text", "x", "--ephemeral"]).ending()
        #expect(ending.status == 11 && ending.output.hasPrefix(outcome) && ending.output.contains(words), "\(ending)")
        #expect(!ending.output.contains("exthostctl logs"), "its daemon is gone, and its log: \(ending)")
    }

    /// The order of scenarios and of the kits; the one of before is taken, too.
    @Test func theOrderOfAFault() async throws {
        try await withTestDaemon(applications: []) { daemon in
            for words in [["kill", "at", "loadOpen"], ["kill", "loadOpen"], ["loadOpen", "kill"]] {
                let ending = try await control(["fault", "add", "--json"] + words, daemon)
                #expect(
                    ending.status == 0 && ending.output.contains(#""point": "loadOpen", "fault": "kill""#), "\(ending)")
            }
            for (words, near) in [
                (["kll", "at", "loadOpen"], "Is kill meant? "), (["kill", "at", "loadOpn"], "loadOpen"),
            ] {
                let ending = try await control(["fault", "add"] + words, daemon)
                #expect(ending.status == 64 && ending.errors.contains(near), "\(ending)")
            }
        }
        for fault in ["noDescriptors@starting", "starting=noDescriptors"] {
            await #expect(throws: (any Error).self) {
                _ = try await TestDaemon.start(applications: [], arguments: ["--fault", fault])
            }
        }
        try await withTestDaemon(applications: [], arguments: ["--fault", "kill@loadOpen", "--fault", "loadOpen=kill"])
        {
            daemon in
            let orders = try await daemon.faults.orders
            #expect(orders.count == 2)
        }
    }
}
