// DocumentTests: documents in files, and data sets of catalogues.

import ExtensionFoundation
import Foundation
import Testing
import UIKit

@MainActor @Suite struct DocumentTests {
    private final class Note: UIDocument {
        var text = "empty"
        var types: [String] = []
        var errors = 0
        override func load(fromContents contents: Any, ofType typeName: String?) throws {
            guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
            types.append(typeName ?? "none")
            text = String(decoding: data, as: UTF8.self)
        }
        override func contents(forType typeName: String) throws -> Any {
            if text == "broken" { throw CocoaError(.coderInvalidValue) }
            return Data(text.utf8)
        }
        override func handleError(_ error: any Error, userInteractionPermitted: Bool) { errors += 1 }
    }

    private static func withFile(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("note.txt"))
    }

    private static func wait(_ begin: (@escaping (Bool) -> Void) -> Void) async -> Bool {
        await withCheckedContinuation { done in begin { done.resume(returning: $0) } }
    }

    @Test("a document reads its file, and writes it when it is saved or closed")
    func opensAndSaves() async throws {
        try await Self.withFile { file in
            try Data("one".utf8).write(to: file)
            let note = Note(fileURL: file)
            #expect(note.documentState == .closed && note.localizedName == "note" && note.fileModificationDate == nil)
            #expect(await Self.wait { note.open(completionHandler: $0) })
            #expect(note.text == "one" && note.types == ["public.plain-text"] && note.documentState == .normal)
            #expect(note.fileModificationDate != nil)
            note.text = "two"
            note.updateChangeCount(.done)
            #expect(note.hasUnsavedChanges)
            #expect(await Self.wait { note.autosave(completionHandler: $0) })
            #expect(!note.hasUnsavedChanges && (try? String(contentsOf: file, encoding: .utf8)) == "two")
            note.text = "three"
            note.updateChangeCount(.done)
            #expect(await Self.wait { note.close(completionHandler: $0) })
            #expect(note.documentState == .closed && (try? String(contentsOf: file, encoding: .utf8)) == "three")
        }
    }

    @Test("a document can be created, moved to another file and reverted")
    func createsAndReverts() async throws {
        try await Self.withFile { file in
            let note = Note(fileURL: file)
            note.text = "new"
            #expect(await Self.wait { note.save(to: file, for: .forCreating, completionHandler: $0) })
            #expect(note.documentState == .normal && (try? String(contentsOf: file, encoding: .utf8)) == "new")
            let other = file.deletingLastPathComponent().appendingPathComponent("other.txt")
            #expect(await Self.wait { note.save(to: other, for: .forOverwriting, completionHandler: $0) })
            #expect(note.fileURL == other)
            note.text = "changed"
            #expect(await Self.wait { note.revert(toContentsOf: file, completionHandler: $0) })
            #expect(note.text == "new" && note.fileURL == file)
        }
    }

    // not simulated: N-273
    @Test("errors of files and of the author's code reach handleError, and no file is damaged")
    func failures() async throws {
        try await Self.withFile { file in
            let note = Note(fileURL: file)
            #expect(await Self.wait { note.open(completionHandler: $0) } == false)
            #expect(note.errors == 1 && note.documentState == .closed)
            try Data("old".utf8).write(to: file)
            note.text = "broken"
            #expect(await Self.wait { note.save(to: file, for: .forOverwriting, completionHandler: $0) } == false)
            #expect(note.errors == 2 && note.documentState.contains(.savingError))
            #expect((try? String(contentsOf: file, encoding: .utf8)) == "old")
            let plain = UIDocument(fileURL: file)
            #expect(throws: CocoaError.self) { try plain.read(from: file) }
            #expect(throws: CocoaError.self) {
                try plain.writeContents("text", to: file, for: .forOverwriting, originalContentsURL: nil)
            }
        }
    }

    @Test("a data set has the bytes and the type of its first file")
    func dataSets() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        func add(_ name: String, _ contents: String) throws {
            let set = folder.appendingPathComponent("Assets.xcassets/\(name).dataset")
            try FileManager.default.createDirectory(at: set, withIntermediateDirectories: true)
            try Data(contents.utf8).write(to: set.appendingPathComponent("Contents.json"))
            try Data("[1]".utf8).write(to: set.appendingPathComponent("list.json"))
        }
        try add("list", #"{"data":[{"filename":"list.json","universal-type-identifier":"public.json"}]}"#)
        try add("far", #"{"data":[{"filename":"../list.dataset/list.json"}]}"#)
        let bundle = try #require(Bundle(path: folder.path))
        let asset = try #require(NSDataAsset(name: "list", bundle: bundle))
        #expect(asset.data == Data("[1]".utf8) && asset.typeIdentifier == "public.json" && asset.name == "list")
        #expect(NSDataAsset(name: "far", bundle: bundle) == nil && NSDataAsset(name: "none", bundle: bundle) == nil)
    }
}
