// DevelopmentTests: extensions that are not installed: `run PATH`, and the registration behind it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct DevelopmentTests {
    /// The extension of the protocol page, as a program without a bundle.
    private func program(_ name: String, in folder: TemporaryDirectory) throws -> String {
        let page = try String(contentsOfFile: SampleApplications.root + "/docs/protocol.md", encoding: .utf8)
        let example = try #require(page.firstRange(of: "```python\n"))
        let end = try #require(page[example.upperBound...].firstRange(of: "```"))
        return try script(name, String(page[example.upperBound..<end.lowerBound]), in: folder)
    }

    private func script(_ name: String, _ text: String, in folder: TemporaryDirectory) throws -> String {
        let path = "\(folder.path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        try waitForWriters(of: path)
        return path
    }

    private func withFolder(_ body: (TemporaryDirectory) async throws -> Void) async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try await body(folder)
    }

    @Test func aProgramWithoutABundleServesOneRequestAProcessAndIsForgottenAfterwards() async throws {
        try await withFolder { folder in
            let path = try program("share it.py", in: folder)
            try await withTestDaemon(applications: []) { daemon in
                let arguments = ["run", path, "--url", "https://example.org", "--wait-exit", "--host", "tester"]
                var pids: Set<Int> = []
                for _ in 0..<2 {
                    let report = try await json(arguments, daemon)
                    #expect(
                        report["extension"] as? String == "dev.share-it.py"
                            && report["outcome"] as? String == "completed")
                    #expect((report["exit"] as? [String: Any])?["cause"] as? String == "completed")
                    pids.insert(try #require(report["pid"] as? Int))
                }
                #expect(pids.count == 2)
                #expect(try await control(["list", "-A", "-D"], daemon).output.isEmpty)
                let records = try await daemon.events()
                let changes = records.filter { $0.event == "registry.changed" }
                #expect(changes.count == 4 && changes.allSatisfy { $0.extensionIdentifier == "dev.share-it.py" })
                #expect(changes.first?.detail == "registered for a connection: \(path)")
                #expect(records.contains { $0.event == "host.connected" && $0.host == "tester" })
            }
        }
    }

    @Test func aProgramIsToldThatItHasNoBundleAndStartsInItsFolder() async throws {
        try await withFolder { folder in
            let path = try script("where", "#!/bin/sh\npwd\nexit 3\n", in: folder)
            try await withTestDaemon(applications: []) { daemon in
                let ending = try await control(["run", path, "--text", "x"], daemon)
                #expect(ending.status == 11)
                #expect(ending.errors.contains("]: \(folder.path)\n"), "\(ending.errors)")
                // What it printed can be asked for still.
                let lines = try await jsonLines(["logs", "dev.where"], daemon)
                #expect(lines.map { $0["text"] as? String } == [folder.path])
            }
            // Swift's kit says what is missing where a program expects a bundle.
            try await withTestDaemon(applications: []) { daemon in
                let ending = try await control(
                    ["run", SampleApplications.buildFolder + "/ShareLink", "--text", "x"], daemon)
                #expect(ending.status == 11)
                #expect(ending.errors.contains("the daemon named no principal class for dev.ShareLink"))
                #expect(ending.errors.contains("NSExtensionMain(principalClass:)"))
            }
        }
    }

    /// Its folder may be its author's home: it has what a build puts beside it for it to load, and no more.
    @Test(.disabled(if: isSanitized, "a sanitized extension is not confined"))
    func aConfinedProgramHasTheLibrariesAndResourcesBesideItAndNothingElse() async throws {
        try await withFolder { folder in
            let names = ["libone.so", "libtwo.so.1", "Some.resources/text", "notes.txt", "other.swift"]
            try FileManager.default.createDirectory(
                atPath: folder.path + "/Some.resources", withIntermediateDirectories: false)
            for name in names { try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
            let path = try script(
                "reads", "#!/bin/sh\ncat \(names.joined(separator: " ")) 2>/dev/null\nexit 3\n", in: folder)
            try await withTestDaemon(applications: []) { daemon in
                guard try await daemon.control.status().sandbox.contains("landlock") else { return }
                let ending = try await control(["run", path, "--text", "x"], daemon)
                let shown = names.filter { ending.errors.contains("]: \($0)\n") }
                #expect(shown == Array(names.prefix(3)), "\(ending)")
                #expect(ending.output.contains("(\(folder.path)/notes.txt)"), "\(ending)")
            }
        }
    }

    @Test func anAppexWithoutAnAppRunsWithAnEphemeralDaemon() async throws {
        let bundles = try TestBundles.withPuppet()
        let path = bundles.path + "/Tests.app/PlugIns/puppet.appex"
        let items = bundles.path + "/items.json"
        try Data(#"[{"userInfo": {"do": "return"}}]"#.utf8).write(to: URL(fileURLWithPath: items))
        for name in [path, path + "/"] {
            let ending = try await Program.control(
                ["--ephemeral", "run", name, "--items", items, "--json"],
                environment: ["EXTHOST_APPLICATIONS": "/nonexistent"]
            ).ending()
            #expect(ending.status == 0 && ending.output.contains(#""extension": "\#(puppet)""#), "\(ending)")
        }
    }

    @Test func aRegistrationComesFirstForItsOwnConnectionAndForNobodyElse() async throws {
        let bundles = try TestBundles()
        try bundles.add("twin", script: "#!/bin/sh\necho installed\nexit 1\n")
        let other = try TestBundles()
        try other.add("twin", script: "#!/bin/sh\necho registered\nexit 1\n")
        try other.add("single", script: "#!/bin/sh\necho single\nexit 1\n")
        let (twin, single) = ("org.exthost.tests.twin", "org.exthost.tests.single")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let owner = try await HostApplication.connect(name: "owner", to: daemon.address)
            let stranger = try await daemon.host("stranger")
            #expect(try await owner.register(path: other.path + "/Tests.app/PlugIns/twin.appex") == twin)
            #expect(try await owner.register(path: other.path + "/Tests.app/PlugIns/single.appex") == single)
            _ = await (try await owner.begin(twin, items: [])).outcome
            _ = await (try await stranger.begin(twin, items: [])).outcome
            let lines = try await jsonLines(["logs", twin], daemon)
            #expect(lines.map { $0["text"] as? String } == ["registered", "installed"])
            // Where nothing is installed it serves everybody.
            #expect(await (try await stranger.begin(single, items: [])).outcome.cause == .exitedEarly)
            let listed = try await daemon.control.extensions(allCopies: true)
            #expect(listed.map(\.identifier) == [twin, twin, single] && listed.map(\.prefix) == [" ", "!", "!"])
            #expect(listed[1].problems.first?.contains("serves only the connection that registered it") == true)
            owner.disconnect()
            try await daemon.event { $0.event == "host.disconnected" && $0.host == "owner" }
            await #expect(throws: ExtensionHostError.self) { try await stranger.begin(single, items: []) }
            #expect(
                try await daemon.control.extensions().map(\.path) == [bundles.path + "/Tests.app/PlugIns/twin.appex"])
        }
    }

    @Test func aProgramBuiltAnewIsStartedAnew() async throws {
        let bundles = try TestBundles.withPuppet()
        let path = bundles.path + "/Tests.app/PlugIns/puppet.appex"
        try await withTestDaemon(applications: []) { daemon in
            var pids: Set<Int?> = []
            for _ in 0..<2 {
                let host = try await HostApplication.connect(name: "author", to: daemon.address)
                let identifier = try await host.register(path: path)
                let request = try await host.begin(identifier, items: [order("return")])
                #expect(await request.outcome.cause == .completed)
                pids.insert(request.processIdentifier)
            }
            // The first process still waits for `idle`, and does not get the second registration's request.
            #expect(pids.count == 2)
        }
    }

    @Test func whatIsNoExtensionIsSaidWithWhatToNameInstead() async throws {
        try await withFolder { folder in
            let manager = FileManager.default
            for name in ["Empty", "Package", "Some.app", "Bare.appex"] {
                try manager.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
            }
            try Data().write(to: URL(fileURLWithPath: folder.path + "/Package/Package.swift"))
            try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/plain"))
            try #require(mkfifo(folder.path + "/fifo", 0o600) == 0)
            try await withTestDaemon(applications: []) { daemon in
                for (name, status, words) in [
                    ("Empty", Int32(64), "whose name ends in .appex"), ("Package", 64, "swift build"),
                    ("Some.app", 64, "PlugIns"), ("fifo", 64, "neither a program nor a folder"),
                    ("nothing", 66, "there is no "),
                    ("Bare.appex", 13, "Info.plist cannot be read"), ("plain", 13, "chmod +x"),
                ] {
                    let ending = try await control(["run", "\(folder.path)/\(name)", "--text", "x"], daemon)
                    #expect(ending.status == status, "\(name): \(ending)")
                    #expect((ending.errors + ending.output).contains(words), "\(name): \(ending)")
                }
            }
        }
    }

    @Test func aConnectionRegistersSixteenAtMostAndAbsolutePathsOnly() async throws {
        try await withFolder { folder in
            let path = try script("one", "#!/bin/sh\n", in: folder)
            try await withTestDaemon(applications: []) { daemon in
                for _ in 0..<16 { #expect(try await daemon.control.register(path: path) == "dev.one") }
                let full = await #expect(throws: ExtensionHostError.self) {
                    try await daemon.control.register(path: path)
                }
                #expect(full?.code == .quotaExceeded)
                let host = try await daemon.host("notes")
                let relative = await #expect(throws: ExtensionHostError.self) {
                    try await host.application.register(path: "one")
                }
                #expect(relative?.code == .invalidArgument)
            }
        }
    }
}
