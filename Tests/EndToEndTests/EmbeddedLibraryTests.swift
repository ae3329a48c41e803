// EmbeddedLibraryTests: a library in an app's Frameworks, loaded by the app and by its extensions.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct EmbeddedLibraryTests {
    /// `libgreeting.so.1` in `Frameworks`, the app's program and the extension `speaker`, which print what it says, and
    /// the puppet.
    private func bundles() async throws -> TestBundles {
        let bundles = try TestBundles.withPuppet()
        try FileManager.default.createDirectory(
            atPath: bundles.path + "/Tests.app/Frameworks", withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: bundles.path + "/made", withIntermediateDirectories: false)
        let library = bundles.path + "/Tests.app/Frameworks/libgreeting.so.1"
        try await compile(
            "const char *greeting(void) { return \"greetings from the app\"; }", to: library,
            ["-shared", "-Wl,-soname,libgreeting.so.1"], bundles)
        let program = """
            #include <stdio.h>
            const char *greeting(void);
            int main(void) { return puts(greeting()) < 0; }
            """
        for (name, runPath) in [("speaker", "$ORIGIN/../../Frameworks"), ("app", "$ORIGIN/Frameworks")] {
            try await compile(program, to: bundles.path + "/made/" + name, [library, "-Wl,-rpath,\(runPath)"], bundles)
        }
        try bundles.add("speaker", program: bundles.path + "/made/speaker")
        try bundles.addProgram("notes", copyOf: bundles.path + "/made/app")
        return bundles
    }

    /// Keeps no thread of the tests waiting: there are as many as processors.
    private func compile(_ source: String, to product: String, _ arguments: [String], _ bundles: TestBundles)
        async throws
    {
        let file = bundles.path + "/made/source.c"
        try Data(source.utf8).write(to: URL(fileURLWithPath: file))
        let compiler = try Program.run("/usr/bin/env", ["clang", "-fPIC", "-o", product, file] + arguments, socket: "")
        let ending = try await compiler.ending(within: 120_000)
        try #require(ending.status == 0, "\(ending.errors)")
    }

    // spec: P-571
    @Test(arguments: isSanitized ? ["none"] : ["none", "best"])
    func anEmbeddedLibraryIsFoundByTheAppAndItsExtensions(sandbox: String) async throws {
        let bundles = try await bundles()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--sandbox", sandbox]) { daemon in
            let app = try await control(["app", bundles.path + "/Tests.app"], daemon)
            #expect(app.status == 0 && app.output == "greetings from the app\n", "\(app)")

            // Linked to it; it says no hello.
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let speaking = try await host.begin("org.exthost.tests.speaker", items: [.text("x")])
            #expect(await speaking.outcome.cause == .exitedEarly)
            try await eventually { output.text == "greetings from the app\n" }

            // Loaded while it runs.
            let request = try await host.begin(puppet, items: [order("greeting", "libgreeting.so.1")])
            let said = try items(of: await request.outcome).first?.userInfo
            #expect(said?["greeting"] as? String == "greetings from the app")
        }
    }

    /// And under `Contents`, as on macOS, but not behind a link, by which an app could open any folder to its
    /// extensions.
    // spec: P-571
    @Test(.enabled(if: !isSanitized)) func aConfinedExtensionFindsWhatLiesUnderContentsAndNothingBehindALink()
        async throws
    {
        let bundles = try await bundles()
        let app = bundles.path + "/Tests.app"
        let library = app + "/Frameworks/libgreeting.so.1"
        let program =
            "int puts(const char *); const char *greeting(void); int main(void) { return puts(greeting()) < 0; }"
        try await compile(
            program, to: bundles.path + "/made/deep", [library, "-Wl,-rpath,$ORIGIN/../../Contents/Frameworks"], bundles
        )
        try bundles.add("deep", program: bundles.path + "/made/deep")
        try FileManager.default.createDirectory(atPath: app + "/Contents", withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: app + "/Frameworks", toPath: app + "/Contents/Frameworks")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--sandbox", "best"]) { daemon in
            guard try await daemon.control.status().sandbox.contains("namespaces") else { return }
            func printed() async throws -> String {
                let ending = try await control(["run", "org.exthost.tests.deep", "--text", "x", "--wait-exit"], daemon)
                #expect(ending.status == 11, "\(ending)")
                return ending.errors
            }
            let said = try await printed()
            #expect(said.contains("greetings from the app"), "\(said)")
            let elsewhere = bundles.path + "/elsewhere"
            try FileManager.default.moveItem(atPath: app + "/Contents", toPath: elsewhere)
            try #require(symlink(elsewhere, app + "/Contents") == 0)
            let refused = try await printed()
            #expect(refused.contains("libgreeting.so.1") && !refused.contains("greetings"), "\(refused)")
        }
    }

    /// The puppet contains the kit of hosts, which nothing but its note shows.
    // spec: P-570
    @Test func lintKnowsWhatIsFoundAndWhatIsNotForExtensions() async throws {
        let bundles = try await bundles()
        func codes() async throws -> [String] {
            let ending = try await Program.control(["lint", bundles.path + "/Tests.app", "--json"]).ending()
            let findings = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]] ?? []
            return findings.compactMap { finding in
                guard let code = finding["code"] as? String, let file = finding["file"] as? String,
                    ["hostOnlyLibrary", "unsafeImport", "libraryNotFound", "executableDamaged", "libraryUnreadable"]
                        .contains(
                            code)
                else { return nil }
                return "\(code) \(file.dropFirst(bundles.path.count))"
            }
        }
        #expect(try await codes() == ["hostOnlyLibrary /Tests.app/PlugIns/puppet.appex/puppet"])
        // Looked for where it is not.
        try FileManager.default.removeItem(atPath: bundles.path + "/Tests.app/PlugIns/puppet.appex")
        try FileManager.default.removeItem(atPath: bundles.path + "/Tests.app/PlugIns/speaker.appex/speaker")
        try FileManager.default.copyItem(
            atPath: bundles.path + "/Tests.app/notes", toPath: bundles.path + "/Tests.app/PlugIns/speaker.appex/speaker"
        )
        #expect(try await codes() == ["libraryNotFound /Tests.app/PlugIns/speaker.appex/speaker"])
    }
}
