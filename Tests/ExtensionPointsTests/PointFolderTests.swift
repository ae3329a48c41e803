// PointFolderTests: which file counts when several state one point, and what folders may hold.

import Foundation
import Glibc
import Testing

@testable import ExtensionPoints

@Suite struct PointFolderTests {
    private func point(_ identifier: String, named name: String) -> [UInt8] {
        PointFolder.point(identifier, "<key>Name</key><string>\(name)</string>")
    }

    // spec: P-411
    @Test func theEarlierFolderCountsAndAnyFileBeforeABuiltInPoint() throws {
        let (first, second) = (try PointFolder(), try PointFolder())
        let mine = try first.write("x.plist", point("com.apple.share-services", named: "mine"))
        try second.write("y.plist", point("com.apple.share-services", named: "system's"))
        try second.write("z.plist", point("org.example.new", named: "new"))
        let table = PointTable(folders: [first.path, second.path + "/"])
        #expect(table["com.apple.share-services"].name == "mine")
        #expect(table["com.apple.share-services"].path == mine)
        #expect(!table["com.apple.share-services"].takesActivationRules, "a file replaces the whole point")
        #expect(table["org.example.new"].name == "new")
        #expect(table.points.count == PointTable.builtIn.count + 1 && table.badFiles.isEmpty)
        #expect(PointTable(folders: [second.path, first.path])["com.apple.share-services"].name == "system's")
    }

    @Test func ofTwoFilesInOneFolderTheFirstNameCountsAndTheOtherIsNamed() throws {
        let folder = try PointFolder()
        let first = try folder.write("a.plist", point("org.example.p", named: "a"))
        let second = try folder.write("b.plist", point("org.example.p", named: "b"))
        try folder.write("c.plist", point("org.example.p", named: "c"))
        let table = PointTable(folders: [folder.path])
        #expect(table["org.example.p"].name == "a")
        #expect(table.badFiles.map(\.path) == [second, folder.path + "/c.plist"])
        #expect(table.badFiles.allSatisfy { $0.problem.contains(first) })
    }

    @Test func onlyPropertyListsAreLookedAt() throws {
        let folder = try PointFolder()
        try folder.write("README", Array("hello".utf8))
        try folder.write(".hidden.plist", Array("hello".utf8))
        try folder.write("p.plist~", Array("hello".utf8))
        #expect(PointTable(folders: [folder.path]).badFiles.isEmpty)
    }

    @Test func whatIsNoReadableFileIsNamed() throws {
        let folder = try PointFolder()
        #expect(mkfifo(folder.path + "/fifo.plist", 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/folder.plist", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/lost.plist", withDestinationPath: "/nowhere/at/all")
        try folder.write("large.plist", Array(repeating: UInt8(ascii: " "), count: ExtensionPoint.fileLimit + 1))
        let table = PointTable(folders: [folder.path])
        #expect(table.badFiles.map(\.path) == ["fifo", "folder", "large", "lost"].map { "\(folder.path)/\($0).plist" })
        #expect(table.points.count == PointTable.builtIn.count)
    }

    @Test func aFolderThatDoesNotExistHoldsNothingAndOneThatIsNoneIsNamed() throws {
        let folder = try PointFolder()
        let file = try folder.write("p.plist", point("org.example.p", named: "p"))
        #expect(PointTable(folders: ["/nowhere/at/all"]).badFiles.isEmpty)
        #expect(PointTable(folders: [file, folder.path]).badFiles.map(\.path) == [file])
    }

    @Test func aFolderOfTooManyFilesIsNamed() throws {
        let folder = try PointFolder()
        for number in 0...PointTable.entriesLimit { try folder.write("\(number)", []) }
        #expect(PointTable(folders: [folder.path]).badFiles.map(\.path) == [folder.path])
    }
}
