// AuthorTests: what an author does, from nothing to an outcome: the pages that say how, and ten mistakes on the way.

import Foundation
import Glibc
import LinuxSystem
import Testing

/// The work of an author whose sources the compiler takes as they are.
///
/// The tests share one folder of builds, so only the first compiles the kit. Sanitizers are for programs of this
/// project; those of an author are built without.
@Suite(.serialized, .disabled(if: isSanitized, "an author's package is built without sanitizers"))
final class AuthorTests {
    private let author: AuthorFolder
    private let scratch = AuthorFolder.Builds.plain.folder
    var folder: String { author.path }

    init() throws { author = try AuthorFolder(.plain) }

    func run(_ line: String, in folder: String) async throws -> Shell.Ending { try await author.run(line, in: folder) }

    // MARK: Pages

    func follow(_ name: String) async throws { try await author.follow(name) }

    @Test func everyStepOfTheFirstExtensionIsTrue() async throws { try await follow("first-extension.md") }

    @Test func everyRecipeOfTheCookbookIsTrue() async throws { try await follow("cookbook.md") }

    @Test func everyStepOfTheTestAuthorsPageIsTrue() async throws { try await follow("test-authors.md") }

    // MARK: From new to an outcome

    /// The time, which is printed, leaves out compiling, as the build reports it.
    @Test func anOutcomeComesRightAfterNewAndThePluginMakesTheSameApp() async throws {
        let start = ContinuousClock.now
        let made = try await run("exthostctl new services Quick -q", in: folder)
        try #require(made.status == 0, "\(made)")
        let ending = try await run("exthostctl run . --dynamic --text 'hello brave world'", in: folder + "/Quick")
        let all = ContinuousClock.now - start
        try #require(ending.status == 0, "\(ending)")
        // A new package needs no source step, whose program would be built first.
        #expect(!FileManager.default.fileExists(atPath: scratch + "/exthost-source"), "\(ending)")
        // Off a terminal a build is no silence.
        #expect(ending.output.contains("exthostctl: built Quick in "), "\(ending)")
        let told = try #require(ending.output.split(separator: "\n").first { $0.contains("outcome after") })
        let built = try #require(told.firstMatch(of: /built in ([0-9.]+) (ms|s|min)/))
        let factors: [String: Double] = ["ms": 0.001, "s": 1, "min": 60]
        let factor = factors[String(built.2)] ?? 0
        let beside = all / .seconds(1) - (Double(built.1) ?? 0) * factor
        print("from new to the outcome, compiling apart: \(beside) s (\(told))")

        // The same by SwiftPM's plug-in, with what is built.
        let plugin = try await run(
            "swift package --allow-writing-to-package-directory bundle-extensions --programs '\(scratch)/debug' --output made",
            in: folder + "/Quick")
        #expect(
            plugin.status == 0 && plugin.output.contains("bundled \(folder)/Quick/made/QuickApp.app\n"), "\(plugin)")
        let unknown = try await run(
            "swift package --allow-writing-to-package-directory bundle-extensions --programs '\(scratch)/none' --output made",
            in: folder + "/Quick")
        #expect(unknown.status != 0 && unknown.output.contains("[executableFileMissing]"), "\(unknown)")
    }

    // MARK: Ten mistakes

    struct Mistake: CustomTestStringConvertible, Sendable {
        let code: String
        /// Below the package.
        let file: String
        let key: String?
        let remedy: String
        let isWarning: Bool
        let make: @Sendable (String) throws -> Void

        init(
            _ code: String, _ file: String, key: String? = nil, _ remedy: String, isWarning: Bool = false,
            make: @escaping @Sendable (String) throws -> Void
        ) {
            self.code = code
            self.file = file
            self.key = key
            self.remedy = remedy
            self.isWarning = isWarning
            self.make = make
        }

        var testDescription: String { code }

        /// Replaces words of a file, which have to be there.
        static func edit(_ file: String, _ old: String, _ new: String) -> @Sendable (String) throws -> Void {
            { package in
                let path = URL(fileURLWithPath: "\(package)/\(file)")
                let text = try String(contentsOf: path, encoding: .utf8)
                try #require(text.contains(old))
                try Data(text.replacing(old, with: new).utf8).write(to: path)
            }
        }
    }

    private static let information = "Sources/Faulty/Info.plist"
    private static let entitlements = "Sources/Faulty/Entitlements.plist"

    static let mistakes: [Mistake] = [
        Mistake("informationMissing", information, "Write one") {
            try FileManager.default.removeItem(atPath: "\($0)/\(information)")
        },
        Mistake(
            "informationUnreadable", information, "Correct the file there",
            make: Mistake.edit(information, "<dict>", "<dict")),
        Mistake(
            "classNotFound", information, key: "NSExtensionPrincipalClass", "Is Faulty.RequestHandler meant?",
            make: Mistake.edit(information, ".RequestHandler", ".RequestHandlers")),
        Mistake(
            "identifierPrefix", information, key: "CFBundleIdentifier", "Rename it to org.example.faulty.NAME",
            make: Mistake.edit(information, "org.example.faulty.extension", "org.example.fault.extension")),
        Mistake(
            "versionMismatch", information, key: "CFBundleVersion", "Give both the same", isWarning: true,
            make: Mistake.edit(information, "<string>1</string>", "<string>2</string>")),
        Mistake(
            "buildFailed", "Sources/Faulty/RequestHandler.swift", "Correct the source there",
            make: Mistake.edit("Sources/Faulty/RequestHandler.swift", "let words = text", "let words = txt")),
        Mistake("noExtensionTarget", "", key: "NSExtension", "Add a target with an Info.plist") {
            try FileManager.default.removeItem(atPath: "\($0)/Sources/Faulty")
            try Mistake.edit(
                "Package.swift", "name: \"Faulty\",\n            dependencies",
                "name: \"Library\",\n            dependencies")(
                    $0)
            try FileManager.default.createDirectory(atPath: "\($0)/Sources/Library", withIntermediateDirectories: false)
            try Data("public struct Empty {}\n".utf8).write(
                to: URL(fileURLWithPath: "\($0)/Sources/Library/Empty.swift"))
        },
        Mistake(
            "ruleMissing", information, key: "NSExtensionActivationRule", "Add one under NSExtensionAttributes",
            make: Mistake.edit(information, "<key>NSExtensionActivationRule</key>", "<key>OfMyOwn</key>")),
        Mistake(
            "programUnknown", information, key: "CFBundleExecutable", "Write $(EXECUTABLE_NAME), or omit the key",
            make: Mistake.edit(information, "$(EXECUTABLE_NAME)", "Fawlty")),
        Mistake(
            "groupWildcard", entitlements, key: "com.apple.security.application-groups", "Name each group in full",
            make: Mistake.edit(entitlements, "group.org.example.faulty", "group.org.example.*")),
    ]

    /// Each is named with its file, its key and its remedy; an error keeps the folder from being run, a warning does
    /// not.
    @Test func tenMistakesAreNamed() async throws {
        #expect(Self.mistakes.count == 10)
        let package = folder + "/Faulty"
        let made = try await run("exthostctl new services Faulty -q && cp -a Faulty Sound", in: folder)
        try #require(made.status == 0, "\(made)")
        for mistake in Self.mistakes {
            try mistake.make(package)
            let ending = try await run("exthostctl run . --dynamic --text 'hello brave world' -q", in: package)
            let lines = ending.output.split(separator: "\n")
            let place = lines.firstIndex { line in
                line.hasPrefix(mistake.file.isEmpty ? package + ": " : "\(package)/\(mistake.file):")
                    && line.contains(mistake.isWarning ? " warning: " : " error: ")
                    && line.hasSuffix("[\(mistake.code)]")
                    && mistake.key.map(line.contains) ?? true
            }
            let remedy = place.map { lines.dropFirst($0 + 1).first ?? "" }
            #expect(remedy?.contains(mistake.remedy) == true, "\(mistake.code): \(ending.output)")
            #expect(ending.status == (mistake.isWarning ? 0 : 1), "\(mistake.code): \(ending.output)")
            // What is not changed keeps its time, and needs no new build.
            let restored = try await run("rm -rf Faulty && cp -a Sound Faulty", in: folder)
            try #require(restored.status == 0, "\(restored)")
        }
        let sound = try await run("exthostctl run . --dynamic --text 'hello brave world' -q", in: package)
        #expect(sound.status == 0 && sound.output.contains("words: 3"), "\(sound)")
    }

    // MARK: Link modes

    /// A package that stands on nothing: each mode does to its programs what it says.
    @Test func eachLinkModeHasItsLibraries() async throws {
        func write(_ name: String, _ text: String) throws {
            let file = URL(fileURLWithPath: "\(folder)/Alone/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try write(
            "Package.swift",
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(name: "Alone", targets: [.executableTarget(name: "Alone", exclude: ["Info.plist"])])
            """)
        try write("Sources/Alone/main.swift", "import Foundation\nprint(NSString(string: \"alone\"))\n")
        try write(
            "Sources/Alone/Info.plist",
            "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>org.example.alone</string></dict></plist>"
        )
        let made = try await run(
            "exthostctl new services Script --language python -q && rm -r Script/ScriptApp", in: folder + "/Alone")
        try #require(made.status == 0, "\(made)")
        let information = try String(contentsOfFile: "\(folder)/Alone/Script/Script/Info.plist", encoding: .utf8)
        try write(
            "Script/Script/Info.plist",
            information.replacing("org.example.script.extension", with: "org.example.alone.script"))
        try FileManager.default.removeItem(atPath: folder + "/Alone/Script/Script/Entitlements.plist")
        // The modes share one folder, which has the objects of the dynamic mode when the others are built.
        for (flag, mode, needs, lacks) in [
            ("--dynamic", "dynamic", "libswiftCore", ""), ("", "static-stdlib", "libc.so", "libswiftCore"),
            ("--static", "static", "", "libc.so"),
        ] {
            // The folder that is named wins over that of the variable.
            let ending = try await Shell(folder: folder + "/Alone").run(
                "SWIFTPM_BUILD_DIR=elsewhere exthostctl bundle --scratch-path built \(flag) && ldd .build/bundles/Alone.app/Alone || true"
            )
            #expect(
                ending.output.contains(" MiB, \(mode), starts in about ")
                    || ending.output.contains(" KiB, \(mode), starts in about "), "\(ending)")
            #expect(needs.isEmpty || ending.output.contains(needs), "\(mode): \(ending)")
            #expect(lacks.isEmpty || !ending.output.contains(lacks), "\(mode): \(ending)")
            let alone = try await Shell(folder: folder + "/Alone").run(".build/bundles/Alone.app/Alone")
            #expect(alone.output == "alone\n", "\(mode): \(alone)")
            #expect(!FileManager.default.fileExists(atPath: folder + "/Alone/elsewhere"), "\(mode)")
        }
    }

    /// Every shape of a new package builds and passes its own test.
    @Test(
        .enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"),
        arguments: ["share-services", "ui-services"])
    func aNewPackagePassesItsOwnTest(point: String) async throws {
        let name = point == "ui-services" ? "ViewWords" : "SheetWords"
        let ending = try await run("exthostctl new \(point) \(name) -q && cd \(name) && swift test", in: folder)
        #expect(ending.status == 0 && ending.output.contains("Test wordsAreCounted() passed"), "\(ending)")
        let acts = point == "ui-services" ? "tap Done" : "text hello brave world\\npost"
        let outcome = try await run(
            "printf '\(acts)\\n' | exthostctl run . --text 'hello brave world' --interactive --dynamic",
            in: "\(folder)/\(name)")
        #expect(outcome.status == 0 && outcome.output.contains("words: 3"), "\(outcome)")
    }

    /// Extension points with a framework have a session of their own.
    @Test(
        .enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"),
        arguments: [("widget-extension", "newData: "), ("usernotifications.service", "changed: ")])
    func aNewPackageWithAFrameworkPassesItsOwnTest(point: String, outcome: String) async throws {
        let name = point == "widget-extension" ? "WidgetWords" : "ServiceWords"
        let ending = try await run("exthostctl new \(point) \(name) -q && cd \(name) && swift test", in: folder)
        #expect(ending.status == 0 && ending.output.contains("Test wordsAreCounted() passed"), "\(ending)")
        let session = try await run("exthostctl run . --dynamic", in: "\(folder)/\(name)")
        #expect(session.status == 0 && session.output.contains(outcome), "\(session)")
    }

    @Test(
        "PC-27: a new package with a page's script passes its own test, and run shows its page",
        .enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"))
    func aNewPackageWithAPageScriptPassesItsOwnTest() async throws {
        let ending = try await run(
            "exthostctl new services PageWords --page-script -q && cd PageWords && swift test", in: folder)
        #expect(ending.status == 0 && ending.output.contains("Test wordsAreCounted() passed"), "\(ending)")
        let package = folder + "/PageWords"
        let session = try await run(
            "exthostctl run . --dynamic --page https://example.org/ --page-html page.html", in: package)
        #expect(session.status == 0 && session.output.contains("+ 3 words"), "\(session)")
    }

    @Test(
        "PC-27: a new package of each of these points passes its own test",
        .enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"),
        arguments: [
            ("fileprovider-ui", "aDocumentIsPicked"), ("fileprovider-actionsui", "anActionIsPerformed"),
            ("fileprovider-nonui", "aFileIsReadAndWritten"), ("com.apple.AudioUnit", "theVolumeChanges"),
            ("com.apple.AudioUnit-UI", "theVolumeChanges"), ("packet-tunnel", "aPingIsAnswered"),
            ("filter-data", "aHostIsRefused"), ("usernotifications.content-extension", "wordsAreCounted"),
        ])
    func newExtensionsPassTheirOwnTests(point: String, test: String) async throws {
        let ending = try await run("exthostctl new \(point) Files -q && cd Files && swift test", in: folder)
        #expect(ending.status == 0 && ending.output.contains("Test \(test)() passed"), "\(ending)")
    }

    @Test(
        "PC-27: a new network extension passes its own test, and runs by the command of its page",
        .enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"),
        arguments: [
            ("app-proxy", "aRequestIsAnswered", "Wire is any.example"),
            ("dns-proxy", "aNameHasItsAddress", "192.0.2.7"),
            ("filter-control", "theRulesDecide", "dropped: http://ads.example/banner"),
        ])
    func newNetworkExtensionsRun(point: String, test: String, outcome: String) async throws {
        let ending = try await run(
            "rm -rf Wire && exthostctl new \(point) Wire -q && cd Wire && swift test", in: folder)
        #expect(ending.status == 0 && ending.output.contains("Test \(test)() passed"), "\(ending)")
        let page = try String(contentsOfFile: folder + "/Wire/README.md", encoding: .utf8)
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("$ exthostctl run . ") })
        let session = try await run(
            String(line.dropFirst(2)).replacing("run . ", with: "run . --dynamic "), in: folder + "/Wire")
        #expect(session.status == 0 && session.output.contains(outcome), "\(session)")
    }

    @Test(
        "PC-27: a new Spotlight index passes its own test",
        .enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"))
    func aNewIndexPassesItsOwnTest() async throws {
        let ending = try await run(
            "exthostctl new spotlight.index Notes -q && cd Notes && swift test", in: folder)
        #expect(ending.status == 0 && ending.output.contains("Test aNoteIsFound() passed"), "\(ending)")
    }

    @Test(.enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"))
    func aNewPhotoEditorPassesItsOwnTest() async throws {
        let ending = try await run(
            "exthostctl new photo-editing Negative -q && cd Negative && swift test", in: folder)
        #expect(ending.status == 0 && ending.output.contains("Test thePhotoBecomesANegative() passed"), "\(ending)")
    }
}
