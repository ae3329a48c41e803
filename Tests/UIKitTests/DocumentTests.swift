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
        var saves = 0
        override func load(fromContents contents: Any, ofType typeName: String?) throws {
            guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
            types.append(typeName ?? "none")
            if data.first == 0 { throw CocoaError(.fileReadCorruptFile) }
            text = String(decoding: data, as: UTF8.self)
        }
        override func save(
            to url: URL, for saveOperation: UIDocument.SaveOperation, completionHandler: ((Bool) -> Void)? = nil
        ) {
            saves += 1
            super.save(to: url, for: saveOperation, completionHandler: completionHandler)
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

    @Test("a document keeps its file if it cannot be reverted to another one, or cannot be closed")
    func failingRevertAndClose() async throws {
        try await Self.withFile { file in
            let other = file.deletingLastPathComponent().appendingPathComponent("other.txt")
            try Data([0, 1]).write(to: other)
            let note = Note(fileURL: file)
            note.text = "one"
            #expect(await note.save(to: file, for: .forCreating))
            note.updateChangeCount(.done)
            #expect(await note.revert(toContentsOf: other) == false)
            #expect(note.fileURL == file && note.errors == 1 && note.hasUnsavedChanges)
            note.text = "broken"
            #expect(await note.close() == false)
            #expect(note.documentState == .savingError && note.errors == 2)
            note.text = "two"
            #expect(await note.close())
            #expect((try? Data(contentsOf: other)) == Data([0, 1]))
            #expect((try? String(contentsOf: file, encoding: .utf8)) == "two" && note.documentState == .closed)
        }
    }

    @Test("a save takes the contents at once, and a close goes through the author's save")
    func timesOfContents() async throws {
        try await Self.withFile { file in
            let note = Note(fileURL: file)
            note.text = "one"
            note.updateChangeCount(.done)
            let isSaved: Bool = await Self.wait { done in
                note.save(to: file, for: .forCreating, completionHandler: done)
                note.text = "later"
                note.updateChangeCount(.done)
            }
            #expect(isSaved && (try? String(contentsOf: file, encoding: .utf8)) == "one" && note.hasUnsavedChanges)
            #expect(await note.autosave())
            #expect(note.saves == 2 && (try? String(contentsOf: file, encoding: .utf8)) == "later")
            #expect(await note.close() && note.saves == 2)
            // A close waits for a save to another file, and leaves the first one.
            let other = file.deletingLastPathComponent().appendingPathComponent("other.txt")
            note.text = "moved"
            note.updateChangeCount(.done)
            let isClosed: Bool = await Self.wait { done in
                note.save(to: other, for: .forCreating, completionHandler: nil)
                note.close(completionHandler: done)
            }
            #expect(isClosed && note.fileURL == other && (try? String(contentsOf: other, encoding: .utf8)) == "moved")
            #expect((try? String(contentsOf: file, encoding: .utf8)) == "later" && note.documentState == .closed)
            #expect(await note.open() && note.text == "moved")
        }
    }

    @Test("a pipe is no document")
    func pipes() async throws {
        try await Self.withFile { file in
            try #require(mkfifo(file.path, 0o600) == 0)
            let note = Note(fileURL: file)
            #expect(await note.open() == false)
            #expect(note.errors == 1 && note.types.isEmpty)
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
        try add("link", #"{"data":[{"filename":"link.json"}]}"#)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/Assets.xcassets/link.dataset/link.json", withDestinationPath: "/etc/hostname")
        let bundle = try #require(Bundle(path: folder.path))
        #expect(NSDataAsset(name: "link", bundle: bundle) == nil)
        let asset = try #require(NSDataAsset(name: "list", bundle: bundle))
        #expect(asset.data == Data("[1]".utf8) && asset.typeIdentifier == "public.json" && asset.name == "list")
        #expect(NSDataAsset(name: "far", bundle: bundle) == nil && NSDataAsset(name: "none", bundle: bundle) == nil)
    }
}
