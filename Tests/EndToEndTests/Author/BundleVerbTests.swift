// BundleVerbTests: `exthostctl bundle` with programs that are built already, and with scripts.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

/// A folder of sources for one test: an app and the sample ShareLink as its extension.
private final class Sources {
    let directory: TemporaryDirectory
    var path: String { directory.path }
    var app: String { path + "/.build/bundles/Links.app" }

    init() throws {
        directory = try TemporaryDirectory(prefix: "exthost-tests")
        try write(
            "Links/Info.plist",
            """
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>org.example.links</string>
            <key>CFBundleDisplayName</key><string>$(PRODUCT_NAME) &amp; more</string>
            <key>CFBundleShortVersionString</key><string>$(MARKETING_VERSION)</string>
            <key>CFBundleVersion</key><string>${CURRENT_PROJECT_VERSION}</string>
            </dict></plist>
            """)
        try write("ShareLink/Info.plist", Self.information())
    }

    deinit { try? directory.remove() }

    static func information(identifier: String = "$(PRODUCT_BUNDLE_IDENTIFIER)", more: String = "") -> String {
        """
        <?xml version="1.0"?>
        <!-- <dict> -->
        <plist version="1.0">
        <dict>
        <key>CFBundleIdentifier</key><string>\(identifier)</string>
        <key>CFBundleDisplayName</key><string>Share</string>
        <key>CFBundleExecutable</key><string>$(EXECUTABLE_NAME)</string>
        <key>CFBundleShortVersionString</key><string>$(MARKETING_VERSION)</string>
        <key>CFBundleVersion</key><string>$(CURRENT_PROJECT_VERSION)</string>
        <key>NSExtension</key><dict>
        <key>NSExtensionPointIdentifier</key><string>com.apple.share-services</string>
        <key>NSExtensionPrincipalClass</key><string>$(PRODUCT_MODULE_NAME).ShareLink</string>
        <key>NSExtensionAttributes</key><dict><key>NSExtensionActivationRule</key><dict>
        <key>NSExtensionActivationSupportsWebURLWithMaxCount</key><integer>1</integer>
        </dict></dict>\(more)
        </dict></dict></plist>
        """
    }

    func write(_ name: String, _ text: String) throws {
        let file = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func bundle(_ arguments: String...) async throws -> Program.Ending {
        try await Program.control(
            ["bundle", path, "--programs", SampleApplications.buildFolder] + arguments,
            environment: ["EXTHOST_EXTENSION_POINTS": path + "/none"]
        ).ending()
    }

    func plist(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(app)/\(name)"))
        return try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    }
}

/// Overlays in a mount namespace of its own; not in every container, nor over every file system.
private func mountsOverlays() async throws -> Bool {
    let layers = try TemporaryDirectory(prefix: "exthost-tests")
    defer { try? layers.remove() }
    let line = "cd '\(layers.path)' && mkdir lower upper work merged && \(overlay("lower"))"
    return try await Program.run("/usr/bin/unshare", ["--mount", "sh", "-c", line], socket: "").ending().status == 0
}

private func overlay(_ lower: String) -> String {
    "mount -t overlay exthost-tests -o 'lowerdir=\(lower),upperdir=upper,workdir=work' merged"
}

@Suite struct BundleVerbTests {
    /// As in a container whose image has the bundle of before.
    @Test(
        .enabled("mounts take root, and /tmp a file system that an overlay can lie on") { try await mountsOverlays() })
    func aBundleInALowerLayerOfAnOverlayIsReplaced() async throws {
        let sources = try Sources()
        try #require(try await sources.bundle("--setting", "CURRENT_PROJECT_VERSION=7").status == 0)
        let layers = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? layers.remove() }
        for name in ["upper", "work", "merged"] {
            try FileManager.default.createDirectory(
                atPath: "\(layers.path)/\(name)", withIntermediateDirectories: false)
        }
        let line = """
            cd '\(layers.path)' && \(overlay(sources.path)) &&
            '\(SampleApplications.buildFolder)/exthostctl' bundle merged --programs '\(SampleApplications.buildFolder)' \
            --setting CURRENT_PROJECT_VERSION=8 && cat merged/.build/bundles/Links.app/Info.plist
            """
        let ending = try await Program.run(
            "/usr/bin/unshare", ["--mount", "sh", "-c", line], socket: "",
            environment: ["EXTHOST_EXTENSION_POINTS": sources.path + "/none"]
        ).ending()
        #expect(ending.status == 0 && ending.output.contains("<string>8</string>"), "\(ending)")
        #expect(try sources.plist("Info.plist")["CFBundleVersion"] as? String == "7")
    }

    @Test func settingsArePutInAndWhatIsMissingIsAdded() async throws {
        let sources = try Sources()
        try sources.write(
            "ShareLink/Settings.xcconfig",
            "// of this target\nMARKETING_VERSION = 2.$(MINOR) // with one within\nMINOR=3\n")
        try sources.write("Links/Settings.xcconfig", "MARKETING_VERSION = 2.3\n")
        let ending = try await sources.bundle("--setting", "CURRENT_PROJECT_VERSION=7")
        try #require(ending.status == 0, "\(ending)")
        let app = try sources.plist("Info.plist")
        #expect(
            app["CFBundleDisplayName"] as? String == "Links & more" && app["CFBundlePackageType"] as? String == "APPL")
        #expect(app["CFBundleVersion"] as? String == "7" && app["CFBundleExecutable"] == nil)
        let own = try sources.plist("PlugIns/ShareLink.appex/Info.plist")
        #expect(own["CFBundleIdentifier"] as? String == "org.example.links.ShareLink")
        #expect(own["CFBundleExecutable"] as? String == "ShareLink" && own["CFBundlePackageType"] as? String == "XPC!")
        #expect(own["CFBundleShortVersionString"] as? String == "2.3" && own["CFBundleVersion"] as? String == "7")
        let declaration = try #require(own["NSExtension"] as? [String: Any])
        #expect(declaration["NSExtensionPrincipalClass"] as? String == "ShareLink.ShareLink")
    }

    /// By a relative path, too: whoever runs the program does so from elsewhere.
    @Test func whatWasBundledRuns() async throws {
        let sources = try Sources()
        #expect(try await sources.bundle("--quiet").status == 0)
        let ending = try await Shell(folder: sources.path).run(
            "exthostctl with --applications ./.build/bundles -- exthostctl run org.example.links.ShareLink --url https://example.org -q"
        )
        #expect(ending.status == 0 && ending.output.contains("shared: https://example.org"), "\(ending)")
    }

    @Test func aBundleThatFailsLeavesTheOldOneAndNothingElse() async throws {
        let sources = try Sources()
        #expect(try await sources.bundle().status == 0)
        let before = try FileManager.default.subpathsOfDirectory(atPath: sources.app).sorted()
        let old = try sources.plist("PlugIns/ShareLink.appex/Info.plist") as NSDictionary
        try sources.write("ShareLink/Info.plist", Sources.information(identifier: "org.other.share"))
        let ending = try await sources.bundle()
        #expect(ending.status == 1 && ending.output.isEmpty)
        #expect(
            ending.errors.hasPrefix(
                "\(sources.path)/ShareLink/Info.plist:5: error: CFBundleIdentifier: org.other.share does not begin"),
            "\(ending.errors)")
        #expect(ending.errors.contains("[identifierPrefix]\n  Rename it to org.example.links.NAME\n"))
        #expect(ending.errors.hasSuffix("exthostctl: no bundle was made: 1 error\n"))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sources.app).sorted() == before)
        #expect(try sources.plist("PlugIns/ShareLink.appex/Info.plist") as NSDictionary == old)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sources.path + "/.build/bundles") == ["Links.app"])
    }

    @Test func aFaultOfOneAppLeavesThePlacesOfAllAsTheyWere() async throws {
        let sources = try Sources()
        try sources.write("ShareLink/Info.plist", Sources.information(identifier: "org.example.links.share"))
        #expect(try await sources.bundle().status == 0)
        let before = try FileManager.default.subpathsOfDirectory(atPath: sources.path + "/.build/bundles").sorted()
        // It is made after the first, and its extension's program is not there.
        try sources.write(
            "Other/Info.plist",
            "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>org.example.other</string></dict></plist>"
        )
        try sources.write(
            "OtherShare/Info.plist",
            Sources.information(identifier: "org.example.other.share"))
        try sources.write("ShareLink/page.js", "// would be in the new one\n")
        let ending = try await sources.bundle()
        #expect(ending.status == 1 && ending.errors.contains("[executableFileMissing]"), "\(ending)")
        let after = try FileManager.default.subpathsOfDirectory(atPath: sources.path + "/.build/bundles").sorted()
        #expect(after == before, "\(ending)")
    }

    @Test func whatAKilledOneLeftIsRemovedOnceItIsOld() async throws {
        let sources = try Sources()
        let bundles = sources.path + "/.build/bundles"
        for (name, age) in [(".exthost-bundle-old", 7200.0), (".exthost-bundle-new", 60)] {
            try FileManager.default.createDirectory(
                atPath: "\(bundles)/\(name)/Links.app", withIntermediateDirectories: true)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: "\(bundles)/\(name)")
        }
        #expect(try await sources.bundle().status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bundles).sorted() == [
                ".exthost-bundle-new", "Links.app",
            ])
    }

    /// What is gone from the sources is gone from the bundle.
    @Test func aNewBundleTakesThePlaceOfTheOldOneAsAWhole() async throws {
        let sources = try Sources()
        try sources.write("ShareLink/page.js", "// runs in a page\n")
        #expect(try await sources.bundle().status == 0)
        #expect(FileManager.default.fileExists(atPath: sources.app + "/PlugIns/ShareLink.appex/page.js"))
        try FileManager.default.removeItem(atPath: sources.path + "/ShareLink/page.js")
        #expect(try await sources.bundle().status == 0)
        #expect(!FileManager.default.fileExists(atPath: sources.app + "/PlugIns/ShareLink.appex/page.js"))
    }

    @Test func versionsThatDisagreeAreAWarningAndInAReleaseAnError() async throws {
        let sources = try Sources()
        try sources.write("ShareLink/Settings.xcconfig", "CURRENT_PROJECT_VERSION = 2")
        let debug = try await sources.bundle("--json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(debug.output.utf8)) as? [String: Any])
        let findings = try #require(document["findings"] as? [[String: Any]])
        #expect(debug.status == 0 && findings.map { $0["code"] as? String } == ["versionMismatch"], "\(debug)")
        #expect(findings.first?["file"] as? String == sources.path + "/ShareLink/Info.plist")
        #expect(findings.first?["key"] as? String == "CFBundleVersion" && findings.first?["line"] as? Int == 9)
        let bundles = try #require(document["bundles"] as? [[String: Any]])
        #expect(bundles.map { $0["path"] as? String } == [sources.app])
        let release = try await sources.bundle("--release")
        #expect(release.status == 1 && release.errors.contains("[versionMismatch]"))
    }

    /// With the entitlements of either name, and a library that the program needs.
    @Test func scriptsEntitlementsAndLibrariesAreEmbedded() async throws {
        let sources = try Sources()
        try FileManager.default.removeItem(atPath: sources.path + "/ShareLink")
        let groups = """
            <plist version="1.0"><dict><key>com.apple.security.application-groups</key>
            <array><string>group.$(GROUP)</string></array></dict></plist>
            """
        try sources.write("Links/Entitlements.plist", groups)
        try sources.write("Speaker/Speaker.entitlements", groups)
        try sources.write(
            "Speaker/Info.plist", Sources.information().replacing("$(PRODUCT_MODULE_NAME).ShareLink", with: "Speaker"))
        let made = sources.path + "/made"
        try sources.write("made/greeting.c", "const char *greeting(void) { return \"hello\"; }")
        try sources.write("made/speaker.c", "const char *greeting(void);\nint main(void) { return !greeting(); }")
        let compile = try await Shell(folder: made).run(
            "clang -shared -fPIC -Wl,-soname,libgreeting.so -o libgreeting.so greeting.c"
                + " && clang -o Speaker speaker.c libgreeting.so '-Wl,-rpath,$ORIGIN/../../Frameworks'")
        try #require(compile.status == 0, "\(compile)")
        try sources.write("Script/Info.plist", Sources.information().replacing("$(EXECUTABLE_NAME)", with: "run.sh"))
        try sources.write("Script/run.sh", "#!/bin/sh\n")
        try sources.write("Script/parts/one.txt", "one")
        try sources.write("Script/.hidden", "")
        let ending = try await Program.control(
            ["bundle", sources.path, "--programs", made, "--setting", "GROUP=org.example.links"]
        ).ending()
        try #require(ending.status == 0, "\(ending)")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.app).sorted()
        #expect(
            files == [
                "Entitlements.plist", "Frameworks", "Frameworks/libgreeting.so", "Info.plist", "PlugIns",
                "PlugIns/Script.appex",
                "PlugIns/Script.appex/Info.plist", "PlugIns/Script.appex/parts", "PlugIns/Script.appex/parts/one.txt",
                "PlugIns/Script.appex/run.sh", "PlugIns/Speaker.appex", "PlugIns/Speaker.appex/Entitlements.plist",
                "PlugIns/Speaker.appex/Info.plist", "PlugIns/Speaker.appex/Speaker", "SourceStamps.json",
            ])
        let own = try sources.plist("PlugIns/Speaker.appex/Entitlements.plist")
        #expect(own["com.apple.security.application-groups"] as? [String] == ["group.org.example.links"])
        let lint = try await Program.control(["lint", sources.app]).ending()
        #expect(lint.status == 0, "\(lint.output)")
        let run = try await Shell(folder: sources.app).run("PlugIns/Speaker.appex/Speaker")
        #expect(run.status == 0, "\(run)")
    }

    @Test func extensionsOfSeveralAppsFindTheirs() async throws {
        let sources = try Sources()
        try sources.write(
            "Other/Info.plist",
            "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>org.example.links.pro</string></dict></plist>"
        )
        try sources.write("ShareLink/Info.plist", Sources.information(identifier: "org.example.links.pro.share"))
        let ending = try await sources.bundle("--json")
        let other = sources.path + "/.build/bundles/Other.app/PlugIns/ShareLink.appex/Info.plist"
        #expect(ending.status == 0 && FileManager.default.fileExists(atPath: other), "\(ending)")
        #expect(!FileManager.default.fileExists(atPath: sources.app))
        try sources.write("ShareLink/Info.plist", Sources.information(identifier: "net.example.share"))
        let unclear = try await sources.bundle()
        #expect(unclear.status == 1 && unclear.errors.contains("[appUnclear]"), "\(unclear)")
    }
}
