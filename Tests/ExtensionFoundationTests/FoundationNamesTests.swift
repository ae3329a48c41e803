// FoundationNamesTests: what Foundation has on Apple's systems and the kit brings along.

import Foundation
import LinuxSystem
import Testing

@testable import ExtensionFoundation

@Suite struct FoundationNamesTests {
    /// Without a container the folders are Foundation's. An extension's own are in `SourceStepRunTests`.
    @Test func theFoldersOfAProgramWithoutAContainerAreFoundations() throws {
        let manager = FileManager.default
        for kind in [FileManager.SearchPathDirectory.cachesDirectory, .libraryDirectory, .documentDirectory] {
            #expect(manager._urls(for: kind, in: .userDomainMask) == manager.urls(for: kind, in: .userDomainMask))
            #expect(
                _NSSearchPathForDirectoriesInDomains(kind, .userDomainMask, true)
                    == NSSearchPathForDirectoriesInDomains(kind, .userDomainMask, true))
        }
        #expect(throws: (any Error).self) {
            try manager._url(for: .libraryDirectory, in: .userDomainMask, appropriateFor: nil, create: false)
        }
    }

    /// A program of `exthostctl with` has a folder of groups, and no container.
    @Test(arguments: [("EXTHOST_GROUP_CONTAINERS", nil), ("HOME", nil), ("CFFIXED_USER_HOME", "Library/Caches")])
    func onlyAContainerHasFoldersOfItsOwn(variable: String, expected: String?) {
        #expect(ContainerFolder.path(.cachesDirectory) { $0 == variable ? "/x" : nil } == expected)
    }

    @Test func aBookmarkLeadsToItsFile() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = URL(fileURLWithPath: folder.path + "/a b ü.txt")
        #expect(throws: CocoaError.self) { try file.bookmarkData() }
        try Data("x".utf8).write(to: file)
        let bookmark = try file.bookmarkData(options: [.minimalBookmark, .withSecurityScope], relativeTo: nil)
        var isStale = true
        let found = try URL(resolvingBookmarkData: bookmark, options: .withSecurityScope, bookmarkDataIsStale: &isStale)
        #expect(found == file && found.path == file.path && !isStale)
        let home = try URL(
            resolvingBookmarkData: URL(fileURLWithPath: folder.path).bookmarkData(), bookmarkDataIsStale: &isStale)
        #expect(home.hasDirectoryPath)
        // A relative URL has its base within.
        let base = URL(fileURLWithPath: folder.path + "/", isDirectory: true)
        let relative = URL(fileURLWithPath: "a b ü.txt", relativeTo: base)
        #expect(
            try URL(resolvingBookmarkData: relative.bookmarkData(), bookmarkDataIsStale: &isStale).path == file.path)
        try FileManager.default.removeItem(at: file)
        let error = try #require(throws: CocoaError.self) {
            try URL(resolvingBookmarkData: bookmark, bookmarkDataIsStale: &isStale)
        }
        #expect(error.code == .fileNoSuchFile)
    }

    @Test(arguments: [Data(), Data("book".utf8), Data([0xFF]), Data("exthost bookmark 1\nhttps://example.org/".utf8)])
    func otherDataIsNoBookmark(data: Data) {
        var isStale = false
        #expect(throws: CocoaError.self) { try URL(resolvingBookmarkData: data, bookmarkDataIsStale: &isStale) }
        #expect(throws: CocoaError.self) { try #require(URL(string: "https://example.org")).bookmarkData() }
    }

    @Test func objectiveCsIntegersAreSwifts() {
        let (signed, unsigned): (NSInteger, NSUInteger) = (-1, 1)
        #expect(signed == Int(-1) && unsigned == UInt(1))
    }

    @Test func objectsStandInFormatsByTheirDescription() {
        let text = NSMutableAttributedString()
        #expect(text.length == 0)
        text.append(NSAttributedString(string: "words"))
        NSLog("%@ %d", text, 3)
        NSLog("%@", text as NSObject)
        #expect(String(format: "%@|%d", text, 3).contains("words"))
        let error = NSError(domain: "d", code: 7)
        #expect(String(format: "%@, %@ and %@", NSNumber(value: 4), "text", error) == "4, text and \(error)")
        #expect(String(format: "%@", NSURL(fileURLWithPath: "/a")) == "file:///a")
        #expect(String(format: "%@", ["k": 1] as NSDictionary).contains("k"))
    }
}
