// FrameworkLoadingTests: frameworks of an app, loaded by its confined program and by its extension.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite struct FrameworkLoadingTests {
    // spec: CL-4
    @Test("CL-4: a confined app loads its framework, the system's and Swift's libraries, and nothing else")
    func confinedApp() async throws {
        let stage = try LoadingStage()
        let elsewhere = try TestBundles()
        let outside = elsewhere.path + "/libelsewhere.so"
        try await stage.compile("int elsewhere(void) { return 1; }", to: outside, ["-shared"])
        let acts = [
            "dlopen=" + stage.library, "dlopen=libz.so.1", "dlopen=libswift_Differentiation.so", "dlopen=" + outside,
            "write=" + stage.library, "memory=" + stage.library,
        ]
        func results(_ output: String) -> [String] {
            output.split(separator: "\n").map { $0.hasSuffix(": loaded") ? "loaded" : String($0) }
        }
        // Without confinement all of them are loaded, so the check can fail.
        try await withTestDaemon(applications: [], arguments: ["--sandbox", "none"]) { daemon in
            let free = try await control(["app", stage.app] + acts, daemon)
            #expect(results(free.output) == Array(repeating: "loaded", count: 6), "\(free)")
        }
        guard !isSanitized else { return }
        try await withTestDaemon(applications: [], arguments: ["--sandbox", "best"]) { daemon in
            guard try await daemon.control.status().sandbox.contains("namespaces") else {
                return print("CL-4 is not shown with a view: there are no namespaces here")
            }
            let said = try await control(["app", stage.app] + acts, daemon)
            let found = results(said.output)
            try #require(found.count == 6, "\(said)")
            #expect(Array(found[..<3]) == ["loaded", "loaded", "loaded"], "\(said)")
            #expect(found[3].contains("cannot open shared object file"), "\(found[3])")
            #expect(found[4].contains("failed to map segment"), "\(found[4])")
            // What a program writes into its own memory is its own code, which no layer can refuse.
            #expect(found[5] == "loaded", "\(found[5])")
        }
        // Without the view, Landlock still refuses the other folder, but no layer refuses to map the container's file.
        try await withTestDaemon(applications: [], arguments: ["--tree-kill", "guardian"]) { daemon in
            guard try await daemon.control.status().sandbox.contains("landlock") else {
                return print("CL-4 is not shown without a view: there is no Landlock here")
            }
            let said = try await control(["app", stage.app] + acts, daemon)
            let found = results(said.output)
            try #require(found.count == 6, "\(said)")
            #expect(found[3].contains("Permission denied") && found[4] == "loaded", "\(said)")
        }
    }

    // spec: CL-4
    @Test("CL-4: an extension loads its app's framework", arguments: isSanitized ? ["none"] : ["none", "best"])
    func anExtension(sandbox: String) async throws {
        try await withTestDaemon(applications: [try samples()], arguments: ["--sandbox", sandbox]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.samples.postcards.share", items: [.text("x")])
            let said = try items(of: await request.outcome).first?.userInfo?["postcard"] as? String
            #expect(said?.hasPrefix("Greetings from Linux, ") == true, "\(said ?? "nil")")
        }
    }

    // spec: CL-5, CL-6
    @Test(
        "CL-5, CL-6: Bundle loads a flat framework and one with Contents/Linux; only our preflight is right",
        arguments: [false, true])
    func bundles(contents: Bool) async throws {
        let stage = try LoadingStage(contents: contents)
        try await withTestDaemon(applications: []) { daemon in
            let said = try await stage.confined(daemon, ["bundle=" + stage.framework])
            #expect(said["loaded before"] == "false" && said["class before"] == "nil")
            #expect(said["preflight"]?.hasPrefix("NSCocoaErrorDomain 3587 ") == true, "\(said)")
            #expect(said["preflightFramework"] == "ok" && said["loadAndReturnError"] == "ok")
            #expect(said["load"] == "true" && said["loaded"] == "true")
            for key in ["principal", "named", "class"] { #expect(said[key] == "Postcard", "\(key): \(said)") }
            #expect(said["object"] == "Greetings from Linux, Ada!")
        }
    }

    // spec: CL-7
    @Test("CL-7: CFBundleGetFunctionPointerForName and …ForNames find functions, and nil where there is none")
    func functions() async throws {
        let stage = try LoadingStage()
        try await withTestDaemon(applications: []) { daemon in
            let said = try await stage.confined(daemon, ["functions=" + stage.framework])
            #expect(said == ["function": "285", "missing": "nil", "table": "nil same"], "\(said)")
        }
    }

    // spec: CL-8
    @Test(
        "CL-8: with Swift's runtime within, C functions work, no class is found, and calls and lint say why",
        .enabled(if: !isSanitized))
    func ownRuntime() async throws {
        let stage = try LoadingStage("LoadTrialWithin")
        let (said, ending) = try await stage.alone("call=" + stage.library, "bundle=" + stage.framework)
        #expect(ending.status == 0 && said["call"] == "190", "\(ending)")
        #expect(said["loadAndReturnError"] == "ok" && said["load"] == "true", "\(ending)")
        #expect(said["named"] == "nil" && said["class"] == "nil" && said["object"] == "nil", "\(ending)")
        #expect(said["preflightFramework"]?.hasPrefix("NSCocoaErrorDomain 3586 ") == true, "\(ending)")
        // Once for the library, however often it is loaded.
        #expect(ending.errors.components(separatedBy: "brings a second Swift runtime").count == 2, "\(ending)")
        #expect(ending.errors.contains("exthostctl bundle --dynamic"), "\(ending)")
        for (name, isTold) in [("LoadTrialWithin", true), ("LoadTrialStatic", true), ("LoadTrialApp", false)] {
            let linted = try LoadingStage(name)
            let lint = try await Program.control(["lint", linted.app]).ending()
            let text = lint.output + lint.errors
            #expect(text.contains("[staticProgramLoadsSwiftFramework]") == isTold, "\(name): \(text)")
        }
    }

    // spec: CL-9
    // not simulated: N-096
    @Test("CL-9: in a fully static program the loading calls answer notSimulated", .enabled(if: !isSanitized))
    func fullyStatic() async throws {
        let stage = try LoadingStage("LoadTrialStatic")
        let (said, ending) = try await stage.alone(
            "dlopen=" + stage.library, "functions=" + stage.framework, "bundle=" + stage.framework)
        #expect(ending.status == 0, "\(ending)")
        #expect(said["dlopen"]?.hasPrefix("notSimulated: a fully static program") == true, "\(ending)")
        #expect(said["preflightFramework"]?.hasPrefix("notSimulated ") == true, "\(ending)")
        #expect(said["loadAndReturnError"]?.hasPrefix("NSCocoaErrorDomain 35") == true, "\(ending)")
        #expect(said["load"] == "false" && said["function"] == "nil" && said["class"] == "nil", "\(ending)")
        // Foundation writes the reason of its error to standard error.
        #expect(ending.errors.contains("notSimulated: a fully static program"), "\(ending)")
    }

    // spec: CL-12
    @Test("CL-12: a missing library stops the program before main, as launchFailed with the library's name")
    func missingLibrary() async throws {
        let stage = try LoadingStage()
        let library = stage.bundles.path + "/libabsent.so.1"
        try await stage.compile(
            "int absent(void) { return 1; }", to: library, ["-shared", "-Wl,-soname,libabsent.so.1"])
        try await stage.compile(
            "int absent(void); int main(void) { return absent(); }", to: stage.bundles.path + "/needy", [library])
        try stage.bundles.add("needy", program: stage.bundles.path + "/needy")
        try await withTestDaemon(applications: [stage.bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.needy", items: [.text("x")])
            #expect(await request.outcome.cause == .launchFailed)
            let why = await request.explanation
            #expect(why?.code == .launchFailed && why?.message.contains("libabsent.so.1") == true, "\(why as Any)")
            #expect(try await daemon.control.exits().last?.exit.cause == .launchFailed)
        }
    }

    // spec: CL-12
    @Test("CL-12: a weak symbol that is missing is null") func weakSymbol() async throws {
        let stage = try LoadingStage()
        try await stage.compile(
            """
            #include <stdio.h>
            __attribute__((weak)) int absent(void);
            int main(void) { return puts(absent ? "found" : "null") < 0; }
            """, to: stage.bundles.path + "/weak", [])
        try stage.bundles.addProgram("weak", copyOf: stage.bundles.path + "/weak")
        try await withTestDaemon(applications: []) { daemon in
            let ending = try await control(["app", stage.app], daemon)
            #expect(ending.status == 0 && ending.output == "null\n", "\(ending)")
        }
    }
}
