// AssetLibraryTests: a library whose files somebody else has changed.

import ExtensionHost
import Foundation
import LinuxSystem
import PointHosts
import PropertyListCoding
import Testing

@Suite struct AssetLibraryTests {
    /// An edit deletes the last rendering, so the list of an asset must name no file elsewhere.
    @Test(arguments: ["rendering", "original"], ["../kept", "/etc/passwd", "..", ""])
    func aListThatNamesAFileElsewhereIsNoAsset(key: String, name: String) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let photo = folder.path + "/photo.jpg"
        try Data([0xFF, 0xD8, 0xFF, 0xD9] + [UInt8](repeating: 0, count: 64)).write(to: URL(fileURLWithPath: photo))
        let library = try AssetLibrary(folder: folder.path + "/library")
        let asset = try library.add(photo)
        let kept = folder.path + "/library/kept"
        try Data("kept".utf8).write(to: URL(fileURLWithPath: kept))
        let list = URL(fileURLWithPath: "\(folder.path)/library/\(asset.id)/asset.plist")
        let members = try #require(
            try PropertyList(binary: [UInt8](try Data(contentsOf: list)), limits: .file).dictionary)
        var entries: [(String, PropertyList)] = members.filter { $0.0 != key }.map { ($0.0, $0.1) }
        entries += [(key, .string(name))]
        if key == "rendering" {
            entries += [
                ("formatIdentifier", .string("org.example")), ("formatVersion", .string("1")), ("data", .data([1])),
            ]
        }
        try Data(try PropertyList.dictionary(PropertyListDictionary(entries)).encodeBinary()).write(to: list)
        #expect(throws: ExtensionHostError.self) { try library.asset(asset.id) }
        #expect(throws: ExtensionHostError.self) { try library.revert(asset.id) }
        #expect(FileManager.default.fileExists(atPath: kept))
    }
}
