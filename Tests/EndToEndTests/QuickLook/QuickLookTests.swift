// QuickLookTests: thumbnail and preview extensions, their hosts and tools.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import ImageCodecs
import LinuxSystem
import PointHosts
import TestPrograms
import Testing

/// A daemon with an extension of the program `Looker`, and a folder for files.
struct QuickLookStage {
    static let identifier = "org.exthost.tests.look"
    let bundles: TestBundles
    let daemon: TestDaemon
    let host: HostApplication

    static func declaration(_ principal: String, point: String, _ attributes: [String: Any] = [:]) -> [String: Any] {
        [
            "NSExtensionPointIdentifier": point, "NSExtensionPrincipalClass": "Looker.\(principal)",
            "NSExtensionAttributes": ["QLSupportedContentTypes": ["public.plain-text"]].merging(attributes) { $1 },
        ]
    }

    static func with(
        _ principal: String, point: String, _ attributes: [String: Any] = [:],
        _ body: (QuickLookStage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "look", program: SampleApplications.buildFolder + "/Looker", point: point,
            information: ["NSExtension": declaration(principal, point: point, attributes)])
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("finder").application
            try await body(QuickLookStage(bundles: bundles, daemon: daemon, host: host))
        }
    }

    func file(_ words: String, _ name: String = "note.txt") throws -> String {
        let path = bundles.path + "/" + name
        try Data(words.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }
}

@Suite struct ThumbnailTests {
    private func with(
        _ principal: String = "Thumbnails", _ attributes: [String: Any] = [:],
        _ body: (QuickLookStage, ThumbnailHost) async throws -> Void
    ) async throws {
        try await QuickLookStage.with(principal, point: ThumbnailHost.point, attributes) { stage in
            try await body(stage, ThumbnailHost(stage.host, inspector: try ImageInspector()))
        }
    }

    // spec: QL-1, QL-3
    @Test("QL-1, QL-3: a drawing becomes an image of its size, and a badge goes with it") func aDrawing() async throws {
        try await with { stage, host in
            let made = try await host.thumbnail(
                ofFileAt: try stage.file("badge"), size: 64, scale: 2, by: QuickLookStage.identifier)
            guard case .image(let file, let header?) = made.answer else {
                Issue.record("\(made)")
                return
            }
            #expect((header.width, header.height) == (128, 64) && made.isDrawn && made.badge == "badge")
            #expect(made.remarks.isEmpty && made.type == "public.plain-text")
            #expect(await made.request?.outcome.kind == .completed)
            let pixels = try await ImageInspector().pixels(of: file)
            func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(pixels.bytes[(y * 128 + x) * 4..<(y * 128 + x) * 4 + 4]) }
            // The lower left quarter is red.
            #expect(pixel(2, 60) == [255, 0, 0, 255] && pixel(2, 2)[3] == 0 && pixel(100, 60)[3] == 0)
        }
    }

    // spec: QL-1
    @Test("QL-1: the file of an image goes out as it is; nothing, an error and a wrong answer are told apart")
    func otherAnswers() async throws {
        try await with { stage, host in
            func answer(_ words: String) async throws -> ThumbnailHost.Thumbnail {
                try await host.thumbnail(ofFileAt: try stage.file(words), size: 16, by: QuickLookStage.identifier)
            }
            let file = try await answer("file")
            guard case .image(_, let header?) = file.answer else {
                Issue.record("\(file)")
                return
            }
            #expect((header.width, header.height) == (16, 8) && !file.isDrawn)
            for words in ["nothing", "undrawn", "twice"] {
                guard case .nothing = try await answer(words).answer else {
                    Issue.record("\(words)")
                    continue
                }
            }
            guard case .failed(.thrown(let error)) = try await answer("throw").answer else {
                Issue.record("no error")
                return
            }
            #expect(error.domain == NSCocoaErrorDomain && error.code == CocoaError.fileReadCorruptFile.rawValue)
            for words in ["wide", "damaged", "missing", "pipe", "huge", "drop"] {
                guard case .failed = try await answer(words).answer else {
                    Issue.record("\(words)")
                    continue
                }
            }
            guard case .failed(.interrupted(.exitedEarly)) = try await answer("die").answer else {
                Issue.record("the process has not ended")
                return
            }
        }
    }

    // spec: QL-1
    @Test("QL-1: several files at once have threads of their own, and a hung one ends after 20 s")
    func severalAtOnce() async throws {
        try await with { stage, host in
            let (slow, quick) = (try stage.file("hang", "slow.txt"), try stage.file("quick", "quick.txt"))
            async let hung = host.thumbnail(ofFileAt: slow, by: QuickLookStage.identifier)
            try await eventually {
                try await stage.daemon.events().contains { $0.event == EventName.callStarted.rawValue }
            }
            let made = try await host.thumbnail(ofFileAt: quick, size: 8, by: QuickLookStage.identifier)
            guard case .image = made.answer else {
                Issue.record("\(made)")
                return
            }
            try await stage.daemon.clock.advance(by: .seconds(20))
            let ended = try await hung
            guard case .failed(.timedOut) = ended.answer else {
                Issue.record("\(ended)")
                return
            }
        }
    }

    // spec: QL-2
    @Test("QL-2: only the exact type counts, and a size below the least is not asked for") func whatIsAsked()
        async throws
    {
        try await with("AsyncThumbnails", ["QLThumbnailMinimumDimension": 32]) { stage, host in
            let identifier = QuickLookStage.identifier
            let path = try stage.file("x", "page.html")
            for type in [nil, "public.text", "public.swift-source"] {
                let other = try await host.thumbnail(ofFileAt: path, type: type, by: identifier)
                guard case .typeNotSupported = other.answer, other.request == nil else {
                    Issue.record("\(other)")
                    continue
                }
            }
            let text = try stage.file("x")
            guard case .tooSmall(32) = try await host.thumbnail(ofFileAt: text, size: 31, by: identifier).answer else {
                Issue.record("31 points are not too small")
                return
            }
            // The extension draws the least size.
            let made = try await host.thumbnail(ofFileAt: text, size: 64, by: identifier)
            guard case .image(_, let header?) = made.answer else {
                Issue.record("\(made)")
                return
            }
            #expect(header.width == 32)
            for (size, scale) in [(0.0, 1.0), (.nan, 1), (4096, 1), (64, 0), (64, 5)] {
                await #expect(throws: ExtensionHostError.self) {
                    try await host.thumbnail(ofFileAt: text, size: size, scale: scale, by: identifier)
                }
            }
        }
        try await with("UnwrittenThumbnails") { stage, host in
            let made = try await host.thumbnail(ofFileAt: try stage.file("x"), by: QuickLookStage.identifier)
            guard case .failed(.failed(let error)) = made.answer, error.code == .notImplemented else {
                Issue.record("\(made)")
                return
            }
        }
    }

    // spec: QL-5
    @Test("QL-5: run writes the thumbnail into a file") func runWritesAFile() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let (text, out) = (folder.path + "/note.txt", folder.path + "/note.png")
        try Data("A note of some words".utf8).write(to: URL(fileURLWithPath: text))
        let sample = try samples() + "/Samples.app/PlugIns/PaperThumbnails.appex"
        func run(_ arguments: String...) async throws -> Program.Ending {
            try await Program.control(["run", sample, "--ephemeral"] + arguments).ending()
        }
        let made = try await run("--file", text, "--out", out, "--size", "128")
        #expect(made.status == 0 && made.output.contains("91 × 128 pixels, drawn"), "\(made)")
        #expect(made.output.contains("badge: TXT"))
        let image = try Data(contentsOf: URL(fileURLWithPath: out))
        #expect(image.starts(with: [0x89, 0x50, 0x4e, 0x47]))
        let small = try await run("--file", text, "--size", "16", "--json")
        #expect(small.status == 1 && small.output.contains("\"refused\""), "\(small)")
        let without = try await run()
        #expect(without.status == 64 && without.errors.contains("--file"), "\(without)")
        let other = try await Program.control(
            ["run", try samples() + "/Samples.app/PlugIns/ShareLink.appex", "--ephemeral", "--size", "1"]
        ).ending()
        #expect(other.status == 64 && other.errors.contains("--size is for extensions of"), "\(other)")
    }
}

@Suite struct PreviewTests {
    private func with(
        _ principal: String, _ attributes: [String: Any] = [:],
        _ body: (QuickLookStage, PreviewHost) async throws -> Void
    ) async throws {
        try await QuickLookStage.with(principal, point: PreviewHost.point, attributes) { stage in
            try await body(stage, PreviewHost(stage.host))
        }
    }

    private func failure(_ body: () async throws -> Void) async -> PreviewFault? {
        do { try await body() } catch { return error as? PreviewFault }
        return nil
    }

    // spec: QL-4
    @Test("QL-4: the view appears after the handler, and goes with the end of the preview") func aView() async throws {
        try await with("Controller") { stage, host in
            let session = try await host.begin(.file(try stage.file("hello")), with: QuickLookStage.identifier)
            let view = try #require(await session.request.view(where: { "\($0)".contains("note.txt: hello") }))
            #expect(!"\(view)".contains("not prepared") && session.content == nil)
            await session.end()
            #expect(await session.request.outcome.kind == .completed)
            await session.end()
            // A second file has a request of its own.
            let next = try await host.begin(.file(try stage.file("next", "b.txt")), with: QuickLookStage.identifier)
            #expect(await next.request.view(where: { "\($0)".contains("b.txt: next") }) != nil)
            await next.end()
        }
    }

    // spec: QL-4
    @Test("QL-4: an error, a death and a dropped handler show nothing") func noView() async throws {
        try await with("Controller") { stage, host in
            for words in ["throw", "die", "drop"] {
                let path = try stage.file(words)
                let fault = await failure {
                    _ = try await host.begin(.file(path), with: QuickLookStage.identifier)
                }
                guard case .failed(let reason, let request) = fault else {
                    Issue.record("\(words): \(fault.map { "\($0)" } ?? "none")")
                    continue
                }
                _ = await request.outcome
                #expect(request.view == nil)
                switch (words, reason) {
                case ("throw", .thrown), ("die", .interrupted(.exitedEarly)), ("drop", .failed): break
                default: Issue.record("\(words): \(reason)")
                }
            }
            let other = try stage.file("x", "a.png")
            let fault = await failure { _ = try await host.begin(.file(other), with: QuickLookStage.identifier) }
            guard case .typeNotSupported("public.png") = fault else {
                Issue.record("a picture is shown")
                return
            }
            let item = await failure { _ = try await host.begin(.item("1"), with: QuickLookStage.identifier) }
            guard case .noItems = item else {
                Issue.record("an item is shown")
                return
            }
        }
    }

    // spec: QL-4
    @Test("QL-4: a provider gives data, a file or a drawing, with attachments") func data() async throws {
        try await with("Provider", ["QLIsDataBasedPreview": true]) { stage, host in
            func content(_ words: String) async throws -> PreviewHost.Content {
                let session = try await host.begin(.file(try stage.file(words)), with: QuickLookStage.identifier)
                await session.end()
                #expect(await session.request.outcome.kind == .completed)
                return try #require(session.content)
            }
            func bytes(_ piece: PreviewHost.Content.Piece) throws -> [UInt8] {
                try readFile(piece.data.raw, expecting: piece.size, maximumSize: piece.size)
            }
            let text = try await content("words")
            #expect(text.main.type == "public.plain-text" && text.title == "a title" && text.encoding == .utf8)
            #expect(text.size == CGSize(width: 100, height: 50))
            #expect(try String(decoding: bytes(text.main), as: UTF8.self) == "shown: words")
            #expect(try bytes(#require(text.attachments["picture"])) == [1, 2, 3])
            let file = try await content("file")
            #expect(try bytes(file.main) == Array("file".utf8) && file.main.type == "public.plain-text")
            let drawing = try await content("drawing")
            #expect(drawing.main.type == "public.png" && drawing.title == "drawn")
            #expect(try await ImageInspector().header(of: drawing.main.data).width == 20)
            for words in ["throw", "many"] {
                let path = try stage.file(words)
                let fault = await failure {
                    _ = try await host.begin(.file(path), with: QuickLookStage.identifier)
                }
                guard case .failed = fault else {
                    Issue.record("\(words)")
                    continue
                }
            }
        }
    }

    // spec: QL-5
    @Test("QL-5: run shows a view that a person uses, and the data of a provider") func runShowsPreviews() async throws
    {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let (text, table, out) = (folder.path + "/note.txt", folder.path + "/table.csv", folder.path + "/table.html")
        try Data("three small words".utf8).write(to: URL(fileURLWithPath: text))
        try Data("a,b\n1,<2>\n".utf8).write(to: URL(fileURLWithPath: table))
        func run(_ sample: String, _ arguments: String...) async throws -> Program.Ending {
            try await Program.control(
                ["run", try samples() + "/Samples.app/PlugIns/\(sample).appex", "--ephemeral"] + arguments
            ).ending()
        }
        let view = try await run("PaperPreview", "--file", text, "--tap", "Count words", "--json")
        #expect(view.status == 0 && view.output.contains("3 words") && view.output.contains("\"opened\""), "\(view)")
        let item = try await run("PaperPreview", "--identifier", "note-1", "--search", "words", "--json")
        #expect(item.status == 0 && item.output.contains("note-1, found by words"), "\(item)")
        let data = try await run("TableData", "--file", table, "--out", out)
        #expect(data.status == 0 && data.output.contains("title: 2 rows"), "\(data)")
        #expect(try String(contentsOfFile: out, encoding: .utf8).contains("<td>&lt;2></td>"))
        let refused = try await run("TableData", "--file", text)
        #expect(refused.status == 1 && refused.output.hasPrefix("refused: "), "\(refused)")
        let neither = try await run("TableData")
        #expect(neither.status == 64, "\(neither)")
    }

    // spec: QL-5, PC-27
    @Test("QL-5, PC-27: scenarios make thumbnails and show previews") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        for (name, text) in [
            ("note.txt", "three small words"), ("empty.txt", ""), ("table.csv", "a,b\n"), ("a.png", "x"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        for (identifier, lines) in [
            (
                "paper-thumbnails",
                """
                thumbnail note.txt 64
                expect result made
                expect shown badge = "TXT"
                expect shown height = 64
                thumbnail empty.txt
                expect result nothing
                thumbnail table.csv
                expect result refused
                """
            ),
            (
                "paper-preview",
                """
                preview file note.txt
                expect result opened
                expect view "three small words"
                view tap "Count words"
                expect view "3 words"
                preview close
                expect outcome completed
                preview item note-1 words
                expect result opened
                preview file a.png
                expect result refused
                """
            ),
            (
                "table-data",
                """
                preview file table.csv
                expect result opened
                expect shown content.title = "1 rows"
                expect shown content.text contains "<td>a</td>"
                expect shown content.text contains "<td>b</td>"
                """
            ),
        ] {
            let path = folder.path + "/\(identifier).scenario"
            let scenario = "extension org.exthost.samples.\(identifier)\ntest \"it works\"\n\(lines)\n"
            try Data(scenario.utf8).write(to: URL(fileURLWithPath: path))
            let ending = try await Program.control(["test", path, "--applications", try samples(), "--tap"]).ending()
            #expect(ending.status == 0, "\(identifier): \(ending)")
        }
    }
}
