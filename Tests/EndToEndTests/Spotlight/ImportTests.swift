// ImportTests: import extensions, and what the index then has.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import SpotlightStore
import TestPrograms
import Testing

@Suite struct ImportTests {
    static let identifier = "org.exthost.tests.import"

    static func declaration(_ principal: String = "Importer") -> [String: Any] {
        [
            "NSExtensionPointIdentifier": SpotlightHost.importPoint,
            "NSExtensionPrincipalClass": "Importer.\(principal)",
            "NSExtensionAttributes": [SpotlightHost.supportedTypes: ["public.text"]],
        ]
    }

    private struct Stage {
        let bundles: TestBundles
        let daemon: TestDaemon
        let spotlight: SpotlightHost

        /// Writes a file with these words, and imports it.
        func imports(_ words: String, name: String = "note.txt", type: String? = nil) async throws
            -> SpotlightHost.Import
        {
            let path = bundles.path + "/" + name
            try Data(words.utf8).write(to: URL(fileURLWithPath: path))
            return try await spotlight.importFile(at: path, type: type, by: ImportTests.identifier)
        }

        var identifiers: [String] { get async throws { try await spotlight.items.map(\.identifier) } }
    }

    private func with(_ principal: String = "Importer", _ body: (Stage) async throws -> Void) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "import", program: SampleApplications.buildFolder + "/Importer", point: SpotlightHost.importPoint,
            information: ["NSExtension": Self.declaration(principal)])
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let spotlight = try SpotlightHost(try await daemon.host("spotlight").application, store: nil)
            try await body(Stage(bundles: bundles, daemon: daemon, spotlight: spotlight))
        }
    }

    // spec: SI-21
    @Test("SI-21: the attributes of a file are in the index, and a search finds the file by its path")
    func aFileIsImported() async throws {
        try await with { stage in
            let first = try await stage.imports("Pancakes with syrup")
            guard case .imported = first.ending else {
                Issue.record("\(first.ending)")
                return
            }
            #expect(first.type == "public.plain-text" && first.attributes["title"] == "Pancakes with syrup")
            #expect(first.attributes["contentDescription"] == "public.plain-text note.txt")
            #expect(await first.request?.outcome.kind == .completed)
            let path = stage.bundles.path + "/note.txt"
            #expect(try await stage.spotlight.search("panc").map(\.identifier) == [path])
            // A second import replaces what the first has brought.
            _ = try await stage.imports("Waffles")
            #expect(try await stage.spotlight.search("panc").isEmpty)
            #expect(try await stage.spotlight.search("waff").map(\.identifier) == [path])
        }
    }

    // spec: SI-21
    @Test("SI-21: an extension is asked about the types that it lists, and about those that conform to them")
    func onlyListedTypesAreImported() async throws {
        try await with { stage in
            for (name, type) in [("picture.png", "public.png"), ("noend", "public.data"), (".hidden", "public.data")] {
                let other = try await stage.imports("x", name: name)
                guard case .typeNotSupported = other.ending else {
                    Issue.record("\(name): \(other.ending)")
                    continue
                }
                #expect(other.type == type && other.request == nil)
            }
            let stated = try await stage.imports("Stated", name: "noend", type: "public.html")
            #expect(stated.type == "public.html" && stated.attributes["title"] == "Stated")
            #expect(try await stage.identifiers.count == 1)
            await #expect(throws: ExtensionHostError.self) {
                try await stage.spotlight.importFile(at: "/tmp", type: "public.text", by: Self.identifier)
            }
            await #expect(throws: SystemError.self) {
                try await stage.spotlight.importFile(at: "/nowhere/a.txt", by: Self.identifier)
            }
        }
    }

    // spec: SI-21
    @Test("SI-21: the extension has a copy of the file, and its errors and its end leave the index as it was")
    func anImportThatFails() async throws {
        try await with { stage in
            let changed = try await stage.imports("change")
            #expect(changed.attributes["title"] == "note.txt")
            let path = stage.bundles.path + "/note.txt"
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "change")
            let thrown = try await stage.imports("throw")
            guard case .failed(.thrown(let error)) = thrown.ending else {
                Issue.record("\(thrown.ending)")
                return
            }
            #expect(error.domain == NSCocoaErrorDomain && error.code == CocoaError.fileReadCorruptFile.rawValue)
            let died = try await stage.imports("die")
            guard case .failed(.interrupted(.exitedEarly)) = died.ending else {
                Issue.record("\(died.ending)")
                return
            }
            for words in ["many", "large", "thumbnail"] {
                let refused = try await stage.imports(words)
                if case .failed = refused.ending { continue }
                Issue.record("\(words): \(refused.ending)")
            }
            let item = try await stage.spotlight.items
            #expect(item.map(\.identifier) == [path] && item.first?.attributes["title"] == "note.txt")
        }
    }

    // spec: SI-21
    @Test("SI-21: an extension has 30 s for a file; a hung one is ended, and the next file gets another process")
    func anImportThatHangs() async throws {
        try await with { stage in
            async let hung = stage.imports("hang")
            try await eventually {
                try await stage.daemon.events().contains {
                    $0.event == EventName.callStarted.rawValue && $0.detail?.hasPrefix("import.") == true
                }
            }
            try await stage.daemon.clock.advance(by: .seconds(30))
            let ended = try await hung
            guard case .failed(.timedOut) = ended.ending else {
                Issue.record("\(ended.ending)")
                return
            }
            try await stage.daemon.clock.advance(by: .seconds(30))
            let next = try await stage.imports("next", name: "next.txt")
            #expect(next.attributes["title"] == "next")
        }
    }

    // spec: SI-21
    @Test("SI-21: a class without the method, and one of another kind, are named") func unsuitableClasses() async throws
    {
        for (principal, code) in [
            ("Unwritten", ExtensionHostError.Code.notImplemented), ("Stranger", .principalUnsuitable),
        ] {
            try await with(principal) { stage in
                let ended = try await stage.imports("x")
                guard case .failed(.failed(let error)) = ended.ending else {
                    Issue.record("\(principal): \(ended.ending)")
                    return
                }
                #expect(error.code == code, "\(error)")
            }
        }
    }

    // spec: SI-21, PC-23
    @Test("SI-21, PC-23: run shows the attributes of a file, and searches") func runImports() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/recipe.txt"
        try Data("Pancakes\n- eggs\n- flour\nMix all.\n".utf8).write(to: URL(fileURLWithPath: file))
        let reader = try samples() + "/Samples.app/PlugIns/RecipeReader.appex"
        func run(_ arguments: String...) async throws -> Program.Ending {
            try await Program.control(["run", reader, "--ephemeral"] + arguments).ending()
        }
        let shown = try await run("--file", file, "--search", "flour")
        #expect(shown.status == 0 && shown.output.hasPrefix("imported: org.exthost.samples.recipes"), "\(shown)")
        #expect(shown.output.contains("title: Pancakes\n") && shown.output.contains("keywords: eggs, flour\n"))
        #expect(shown.output.contains("1 found for flour"))
        let json = try await run("--file", file, "--type", "public.png", "--json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(document["outcome"] as? String == "refused" && document["pid"] is NSNull && json.status == 1)
        let without = try await run()
        #expect(without.status == 64 && without.errors.contains("--file"), "\(without)")
        let other = try await run("--file", file, "--load", "http://example.org/")
        #expect(other.status == 64 && other.errors.contains("--load is for extensions of"), "\(other)")
    }

    // spec: SI-21, PC-27
    @Test("SI-21, PC-27: a scenario imports files, and expects their attributes") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try Data("Pancakes\n- eggs\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/recipe.txt"))
        try Data("\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/empty.txt"))
        let text = """
            extension org.exthost.samples.recipes

            test "a recipe is found"
                import recipe.txt
                expect result imported
                expect shown attributes.title = "Pancakes"
                search eggs
                expect shown count = 1
                import empty.txt
                expect result failed
                import recipe.txt public.png
                expect result refused
                expect shown type = "public.png"
            """
        let path = folder.path + "/recipes.scenario"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let ending = try await Program.control(["test", path, "--applications", try samples()]).ending()
        #expect(ending.status == 0, "\(ending)")
    }
}
