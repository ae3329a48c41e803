// DocumentPickerTests: sessions of document pickers, from the offer to the document (spec FP-1 to FP-9).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import PointHosts
import PointMessages
import Testing

@Suite struct DocumentPickerTests {
    private static let picker = PickerStage.picker
    private static let text = ["public.plain-text"]

    private static func wishes(_ file: String) -> [DocumentPickerHost.Wish] {
        [.import(text), .open(text), .exportToService(file), .moveToService(file)]
    }

    // spec: FP-1
    @Test(
        "FP-1: a picker serves the modes that it lists, and a begin for another is refused",
        arguments: [
            (["UIDocumentPickerModeImport"], [true, false, false, false]),
            (["UIDocumentPickerModeOpen", "UIDocumentPickerModeMoveToService"], [false, true, false, true]),
            (["UIDocumentPickerModeImport", "UIDocumentPickerModeExportToService"], [true, false, true, false]),
            ([], [false, false, false, false]), (nil, [false, false, false, false]),
        ] as [([String]?, [Bool])])
    func modes(listed: [String]?, isOffered: [Bool]) async throws {
        try await PickerStage.with("nothing", PickerStage.Keys(modes: listed)) { stage in
            for (wish, isOffered) in zip(Self.wishes(try stage.document()), isOffered) {
                let offered = try await stage.pickers.extensions(for: wish).map(\.identifier)
                #expect(offered == (isOffered ? [Self.picker] : []), "\(wish)")
                guard !isOffered else {
                    #expect(try await stage.session(wish).document() == nil)
                    continue
                }
                let error = await #expect(throws: ExtensionHostError.self) { try await stage.session(wish) }
                #expect(error?.code == .ruleMismatch && error?.message.contains("UIDocumentPickerModes") == true)
            }
        }
    }

    // spec: FP-2
    @Test("FP-2: a picker is prepared before its view appears, with the types that it supports, or a readable file")
    func preparation() async throws {
        let keys = PickerStage.Keys(types: ["public.text", "public.png"])
        try await PickerStage.with("", keys) { stage in
            let types = ["public.plain-text", "public.jpeg", "public.png", "public.image", "public.data", "no type"]
            let session = try await stage.session(.open(types))
            let begun = ["viewDidLoad", "prepare 1, loaded true"]
            #expect(
                try await stage.lines() == begun + [
                    "types public.plain-text,public.png,public.image,public.data, provider “\(PickerStage.provider)”",
                    "storage File Provider Storage", "viewWillAppear",
                ])
            await session.cancel()
            #expect(try await session.document() == nil)

            let path = try stage.document("the text")
            let export = try await stage.session(.exportToService(path))
            let lines = try await stage.lines()
            #expect(lines.contains("original original.txt the text") && lines.contains("prepare 2, loaded true"))
            #expect(lines.contains { $0.hasPrefix("types none, provider") })
            await export.cancel()

            let error = await #expect(throws: ExtensionHostError.self) {
                try await stage.session(.import(["public.jpeg", "public.movie"]))
            }
            #expect(error?.code == .ruleMismatch && error?.message.contains("none of the types") == true)
            for wrong in ["/nonexistent", "/", "/dev/null"] {
                let error = await #expect(throws: ExtensionHostError.self) {
                    try await stage.session(.exportToService(wrong))
                }
                #expect(error?.code == .invalidArgument, "\(wrong)")
            }
        }
    }

    // spec: FP-2
    @Test("FP-2: without UIDocumentPickerSupportedFileTypes a picker supports the types that conform to public.content")
    func standardTypes() async throws {
        try await PickerStage.with { stage in
            let offered = try await stage.pickers.extensions(for: .import(["public.folder"]))
            #expect(offered == [])
            _ = try await stage.session(.import(["public.folder", "public.jpeg", "public.content"]), tap: "nothing")
                .document()
            #expect(try await stage.lines().contains { $0.hasPrefix("types public.jpeg,public.content, ") })
        }
    }

    // spec: FP-3
    @Test("FP-3: a choice takes the view down and completes the request; nil is a cancel with the error 3072")
    func theChoice() async throws {
        try await PickerStage.with { stage in
            let session = try await stage.session(.import(Self.text), tap: "twice")
            let document = try await session.document()
            guard case .imported? = document else { return fail("\(String(describing: document))") }
            #expect(await session.request.outcome.kind == .completed)
            // The second choice is a misuse, and changes nothing.
            try await stage.daemon.event { $0.event == EventName.contextFault.rawValue }
            #expect(try await stage.lines().filter { $0 == "viewDidDisappear" }.count == 1)

            let cancelled = try await stage.session(.import(Self.text), tap: "nothing")
            #expect(try await cancelled.document() == nil)
            guard case .cancelled(.cancelledByExtension, let error) = await cancelled.request.outcome else {
                return fail("another outcome")
            }
            #expect((error as NSError).domain == NSCocoaErrorDomain && (error as NSError).code == 3072)
            #expect(try await stage.lines().filter { $0 == "viewDidDisappear" }.count == 2)
        }
    }

    // spec: FP-3
    @Test(
        "FP-3: a picker may choose while it is prepared",
        arguments: [("note", true), ("nothing", false)])
    func aChoiceAtOnce(wish: String, isPicked: Bool) async throws {
        try await PickerStage.with(wish) { stage in
            let document = try await stage.session(.import(Self.text)).document()
            #expect((document != nil) == isPicked)
        }
    }

    // spec: FP-4
    @Test("FP-4: an import is a copy of any file that the picker can read, and belongs to the host")
    func imports() async throws {
        try await PickerStage.with { stage in
            for button in ["note", "outside", "link"] {
                let document = try await stage.session(.import(Self.text), tap: button).document()
                guard case .imported(let copy)? = document else {
                    return fail("\(button): \(String(describing: document))")
                }
                let name = ["note": "note.txt", "outside": "private.txt", "link": "link.txt"][button]
                #expect(copy.url.lastPathComponent == name)
                let text = try String(contentsOf: copy.url, encoding: .utf8)
                if button != "link" { #expect(text == (button == "note" ? "a note" : "private")) }
                // What the extension does to its file afterwards changes nothing.
                #expect(!copy.url.path.hasPrefix(stage.storage))
            }
            // The copy goes with its last reference.
            var held = try await stage.session(.import(Self.text), tap: "note").document()
            guard case .imported(let copy)? = held else { return }
            let path = copy.url.path
            #expect(FileManager.default.fileExists(atPath: path))
            withExtendedLifetime(copy) { held = nil }
        }
    }

    // spec: FP-5, FP-9
    @Test("FP-5, FP-9: open gives a lease on a document in the storage, also before its provider has made the file")
    func opens() async throws {
        try await PickerStage.with { stage in
            let document = try await stage.session(.open(Self.text), tap: "note").document()
            guard case .opened(let lease)? = document else {
                return fail("\(String(describing: document))")
            }
            #expect(lease.url.path == stage.storage + "/note.txt" && lease.path == "note.txt")
            #expect(lease.provider == PickerStage.provider && lease.isThere)
            #expect(try lease.data() == Data("a note".utf8))
            #expect(throws: DocumentPickFault.tooLarge(6)) { try lease.data(upTo: 5) }
            // The host works on the provider's document itself.
            let file = try lease.open(forWriting: true)
            #expect(write(file.raw, "A", 1) == 1)
            #expect(FileManager.default.contents(atPath: stage.storage + "/note.txt") == Data("A note".utf8))

            guard case .opened(let later)? = try await stage.session(.open(Self.text), tap: "new").document() else {
                return fail("another document")
            }
            #expect(!later.isThere && later.path == "later.txt")
            #expect(throws: DocumentPickFault.missing(later.url.path)) { try later.open() }
            // A lease follows no link that the extension makes later.
            try FileManager.default.createSymbolicLink(
                atPath: later.url.path, withDestinationPath: stage.storage + "/note.txt")
            #expect(throws: DocumentPickFault.link(later.url.path)) { try later.open() }
        }
    }

    // spec: FP-5, FP-7
    @Test(
        "FP-5, FP-7: a choice that is no document in the storage cancels the request, with the reason",
        arguments: [
            ("outside", "outsideStorage"), ("dotdot", "outsideStorage"), ("link", "link"), ("folderLink", "link"),
            ("folder", "notAFile"), ("fifo", "notAFile"), ("device", "outsideStorage"), ("long", "outsideStorage"),
        ])
    func refusals(button: String, reason: String) async throws {
        try await PickerStage.with { stage in
            for wish in [DocumentPickerHost.Wish.open(Self.text), .moveToService(try stage.document())] {
                let session = try await stage.session(wish, tap: button)
                let fault = await #expect(throws: DocumentPickFault.self) { try await session.document() }
                #expect(fault?.name == reason, "\(wish)")
                guard case .cancelled(.cancelledByExtension, let error) = await session.request.outcome else {
                    return fail("another outcome")
                }
                #expect("\(error)".contains(fault?.description ?? "?"), "\(error)")
            }
        }
    }

    @Test(
        "FP-4: an import of anything but a file within the bounds is refused, and leaves nothing behind",
        arguments: [
            ("folder", "unreadable"), ("fifo", "unreadable"), ("device", "unreadable"), ("sparse", "tooLarge"),
            ("secret", "unreadable"),
        ])
    func hostileImports(button: String, reason: String) async throws {
        try await PickerStage.with { stage in
            let session = try await stage.session(.import(Self.text), tap: button)
            let fault = await #expect(throws: DocumentPickFault.self) { try await session.document() }
            #expect(fault?.name == reason)
            #expect(await session.request.outcome.kind == .cancelled)
        }
    }

    // spec: FP-6
    @Test("FP-6: after an export the host has the URL as a sign of success")
    func exports() async throws {
        try await PickerStage.with { stage in
            let session = try await stage.session(.exportToService(try stage.document("exported")), tap: "copy")
            guard case .exported(let url)? = try await session.document() else { return fail("another document") }
            #expect(url.lastPathComponent == "kept.txt")
            // The extension has its own copy, and the host's document is untouched.
            #expect(FileManager.default.contents(atPath: stage.storage + "/kept.txt") == Data("exported".utf8))
            #expect(FileManager.default.contents(atPath: stage.folder + "/original.txt") == Data("exported".utf8))
        }
    }

    // spec: FP-7
    @Test("FP-7: a moved document is in the storage, and the host goes on using it")
    func moves() async throws {
        try await PickerStage.with { stage in
            let path = try stage.document("moved")
            let session = try await stage.session(.moveToService(path), tap: "move")
            guard case .moved(let lease)? = try await session.document() else { return fail("another document") }
            #expect(lease.path == "kept.txt" && lease.isThere)
            #expect(try lease.data() == Data("moved".utf8))
            // A move without a file has not happened.
            let fault = await #expect(throws: DocumentPickFault.self) {
                try await stage.session(.moveToService(path), tap: "new").document()
            }
            #expect(fault?.name == "missing")
        }
    }

    // spec: FP-8
    @Test(
        "FP-8: open and move need a provider of the same group that both hold; else there is no storage",
        arguments: [
            (PickerStage.Keys(), true), (PickerStage.Keys(group: PickerStage.group), true),
            (PickerStage.Keys(group: "group.org.exthost.tests.other"), false),
            (PickerStage.Keys(providerGroup: nil), false), (PickerStage.Keys(held: []), false),
            (PickerStage.Keys(providerGroup: "../escape"), false),
        ])
    func theProvider(keys: PickerStage.Keys, isThere: Bool) async throws {
        try await PickerStage.with("", keys) { stage in
            let file = try stage.document()
            for wish in Self.wishes(file) {
                let needsProvider = wish.mode == .open || wish.mode == .moveToService
                let offered = try await stage.pickers.extensions(for: wish)
                #expect(offered.count == (isThere || !needsProvider ? 1 : 0), "\(wish)")
                guard needsProvider, !isThere else { continue }
                let error = await #expect(throws: ExtensionHostError.self) { try await stage.session(wish) }
                #expect(error?.code == .ruleMismatch && error?.message.contains("no file provider") == true)
            }
            await (try await stage.session(.import(Self.text))).cancel()
            let lines = try await stage.lines()
            #expect(lines.contains("storage \(isThere ? "File Provider Storage" : "none")"))
            #expect(lines.contains { $0.hasSuffix("provider “\(isThere ? PickerStage.provider : "")”") })
        }
    }

    @Test("a picker that ends in another way is no choice", arguments: ["complete", "fail", "die", "web"])
    func otherEnds(button: String) async throws {
        try await PickerStage.with { stage in
            let session = try await stage.session(.import(Self.text), tap: button)
            do {
                #expect(try await session.document() == nil && button == "web")
                try await stage.daemon.event { $0.event == EventName.contextFault.rawValue }
            } catch let error as ExtensionHostError {
                #expect((error.code == .contextFinished) == (button == "complete"))
                #expect(button == "complete" || button == "die")
            } catch {
                let error = error as NSError
                #expect(button == "fail" && error.domain == "test" && error.code == 7)
            }
        }
    }

    @Test("a picker that hangs in its preparation is cancelled after 30 s")
    func aHangingPicker() async throws {
        try await PickerStage.with("hang") { stage in
            let host = stage.pickers
            let beginning = Task { try await host.begin(Self.picker, .import(Self.text)) }
            try await stage.daemon.event { $0.event == EventName.callStarted.rawValue }
            try await stage.daemon.clock.advance(by: .seconds(60))
            let error = await #expect(throws: ExtensionHostError.self) { try await beginning.value }
            #expect(error?.code == .timedOut)
        }
    }

    @Test("a principal class that is no picker is unsuitable")
    func anUnsuitableClass() async throws {
        try await PickerStage.with("", PickerStage.Keys(principal: "NoPicker")) { stage in
            let error = await #expect(throws: ExtensionHostError.self) {
                try await stage.session(.import(Self.text))
            }
            #expect(error?.code == .principalUnsuitable)
        }
    }
}

/// Fails the test.
private func fail(_ text: String) { Issue.record(Comment(rawValue: text)) }
