// PhotoDeathTests: deaths of the extension and of the host in the middle of an edit (spec PE-17).

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct PhotoDeathTests {
    // spec: PE-17
    @Test(
        "PE-17: the death of the extension leaves the asset as it was, and free for the next edit",
        arguments: ["dieInCanHandle", "dieInStart", "dieInFinish", "tap"])
    func theExtensionDies(wish: String) async throws {
        try await PhotoStage.with(wish, others: ["first": ""]) { stage in
            let asset = try stage.add()
            let first = "org.exthost.tests.first"
            _ = try await stage.photos.begin(first, editing: asset.id).finish()
            let edited = try stage.library.asset(asset.id)
            let error = await #expect(throws: ExtensionHostError.self) {
                let session = try await stage.photos.begin(PhotoStage.editor, editing: asset.id)
                if wish == "tap" {
                    _ = try? await session.use(.tap("Die"))
                    _ = await session.request.outcome
                }
                _ = try await session.finish()
            }
            let codes: [ExtensionHostError.Code?] = [.interrupted, .contextFinished, .noSuchRequest]
            #expect(codes.contains(error?.code), "\(String(describing: error))")
            #expect(try stage.library.asset(asset.id) == edited)
            #expect(PhotoStage.name(edited.original) == "original" && PhotoStage.name(edited.current) == "rendered")
            #expect(try await stage.photos.begin(first, editing: asset.id).finish() != nil)
        }
    }

    // spec: PE-17
    @Test("PE-17: an extension that dies after its answer leaves the old state or the whole new one")
    func theExtensionDiesAfterItsAnswer() async throws {
        try await PhotoStage.with("dieAfterAnswer") { stage in
            let asset = try stage.add()
            let session = try await stage.photos.begin(PhotoStage.editor, editing: asset.id)
            let edit = try? await session.finish()
            let after = try stage.library.asset(asset.id)
            #expect((edit != nil) == (after.adjustment != nil) && (edit != nil) == (after.rendering != nil))
            #expect(PhotoStage.name(after.current) == (edit == nil ? "original" : "rendered"))
        }
    }

    // spec: PE-17
    @Test(
        "PE-17: a kill of the host after each step leaves the old state or the whole new one",
        arguments: [false, true])
    func theHostDies(wasEdited: Bool) async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        func file(_ name: String) throws -> String {
            let path = "\(folder.path)/\(name)"
            try Data(PhotoStage.jpeg + Array(name.utf8)).write(to: URL(fileURLWithPath: path))
            return path
        }
        let (original, second) = (try file("original"), try file("rendered"))
        let firstRendering = SharedDescriptor(try openForReading(try file("previous")))
        for step in AssetLibrary.Step.allCases {
            let library = try AssetLibrary(folder: "\(folder.path)/\(step)")
            let asset = try library.add(original)
            if wasEdited {
                let edit = try library.edit(asset.id)
                try edit.store(
                    try edit.copy(firstRendering.raw),
                    PhotoAdjustment(formatIdentifier: "old", formatVersion: "1", data: [1]))
            }
            let before = try library.asset(asset.id)
            let writer = try await Program.ending(
                of: SampleApplications.buildFolder + "/LibraryWriter",
                [library.folder, asset.id, second, step.rawValue])
            #expect(writer.exit == .signalled(SIGKILL, coreDumped: false), "\(writer)")

            let after = try AssetLibrary(folder: library.folder).asset(asset.id)
            #expect(PhotoStage.name(after.original) == "original")
            if step == .listReplaced || step == .oldRemoved {
                #expect(after.adjustment?.formatIdentifier == "new" && PhotoStage.name(after.current) == "rendered")
            } else {
                #expect(after == before && PhotoStage.name(after.current) == (wasEdited ? "previous" : "original"))
            }
            // The next edit finds no leftovers.
            _ = try library.edit(asset.id)
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(library.folder)/\(asset.id)")
            #expect(files.count == (after.rendering == nil ? 2 : 3), "\(step): \(files)")
        }
    }

    @Test func anAssetThatIsHalfAddedIsDeletedUnlessItsProcessLives() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        for name in ["adding-1", "adding-2"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
        let lock = SharedDescriptor(try openDirectory(folder.path + "/adding-2"))
        #expect(try lockFile(lock.raw, exclusive: true))
        let library = try AssetLibrary(folder: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["adding-2"])
        #expect(try library.assets().isEmpty)
        let text = folder.path + "/text"
        try Data("no photo".utf8).write(to: URL(fileURLWithPath: text))
        for path in [text, folder.path, "/dev/zero", "/nowhere"] {
            let error = #expect(throws: ExtensionHostError.self) { try library.add(path) }
            #expect(error?.code == .invalidArgument, "\(path)")
        }
        withExtendedLifetime(lock) {}
    }
}
