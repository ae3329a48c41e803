// BundleWayTests: links beside a program, and on the way to a bundle, open nothing that an extension was not given.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite(.disabled(if: isSanitized, "a sanitizer's extensions are not confined")) struct BundleWayTests {
    /// Extensions write into containers: who names one could be led anywhere, at any time.
    @Test func aBundleBehindTheContainersIsDisabledAndNotLaunched() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.add("linked", script: "#!/bin/true\n")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let container = try #require(daemon.groupContainers).replacing(
                "/Shared/AppGroup", with: "/Data/PlugIn/\(puppet)")
            let host = try await daemon.host("notes")
            _ = await (try await host.begin(puppet, items: [order("nothing")])).outcome
            // As an extension could do it, which has been given one link into its container.
            let bundle = bundles.path + "/Tests.app/PlugIns/linked.appex"
            try #require(rename(bundle, container + "/linked") == 0 && symlink(container + "/linked", bundle) == 0)
            try await eventually {
                let listed = try await control(["list", "-D"], daemon).output
                return listed.contains("disabled: the path of the bundle leads through the folder of containers")
            }
            let request = try await host.begin("org.exthost.tests.linked", items: [order("nothing")])
            #expect(await request.outcome.cause == .bundleDisabled)
            // One that is brought along is not launched, either.
            let ending = try await control(["run", bundle, "--text", "x"], daemon)
            #expect(ending.status != 0 && ending.output.contains("leads through the folder of containers"), "\(ending)")
        }
    }

    private func link(_ name: String, _ target: String, in folder: String) throws {
        try #require(symlink(target, "\(folder)/\(name)") == 0)
    }

    /// What a program is given of its folder, which may be its author's home.
    @Test func besideAProgramALinkOpensLibrariesOnly() async throws {
        let bundles = try TestBundles()
        let (home, folder) = (bundles.path, bundles.path + "/downloaded")
        for path in ["secrets", "downloaded/lib.resources"] {
            try FileManager.default.createDirectory(atPath: "\(home)/\(path)", withIntermediateDirectories: true)
        }
        func write(_ text: String, _ path: String, mode: mode_t = 0o644) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            try #require(chmod(path, mode) == 0)
        }
        try write("secret", home + "/secrets/key")
        try write("secret", folder + "/key")
        try write("library", folder + "/liba.so.1.2")
        for (name, target) in [
            ("liba.so.1", "liba.so.1.2"), ("liba.so", "liba.so.1"), ("home.so", ".."),
            ("secrets.resources", "../secrets"),
            ("absolute.so", home + "/secrets/key"), ("key.so", "key"),
        ] { try link(name, target, in: folder) }
        try write(try TestBundles.source("Sources/Samples/Python/exthost.py"), folder + "/lib.resources/exthost.py")
        let prelude = """
            #!/usr/bin/env python3
            import os, sys
            sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/lib.resources")

            """
        try write(prelude + TestBundles.source("Tests/Fixtures/Python/refused.py"), folder + "/prog", mode: 0o755)
        try await withTestDaemon(applications: []) { daemon in
            guard try await daemon.control.status().sandbox.contains("namespaces") else { return }
            for (path, opens) in [
                ("liba.so", true), ("liba.so.1.2", true), ("home.so/secrets/key", false),
                ("secrets.resources/key", false),
                ("absolute.so", false), ("key.so", false), ("key", false),
            ] {
                #expect(access("\(folder)/\(path)", R_OK) == 0)
                let order = [["userInfo": ["do": "file", "argument": "\(folder)/\(path)"]]]
                try JSONSerialization.data(withJSONObject: order).write(
                    to: URL(fileURLWithPath: bundles.path + "/order.json"))
                let report = try await json(["run", folder + "/prog", "--items", bundles.path + "/order.json"], daemon)
                let returned = (report["items"] as? [[String: Any]])?.first?["userInfo"] as? [String: Any]
                let found = try #require(returned?["file"] as? String, "\(report)")
                #expect((found == "ok") == opens, "\(path): \(found)")
            }
        }
    }
}
