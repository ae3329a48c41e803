// AssetFiles: the files of a library, written so that they outlive a crash, and the property list of an asset.

import Foundation
import Glibc
import LinuxDescriptors
import PointMessages
import PropertyListCoding

enum AssetFiles {
    /// Returns the format of an open file.
    ///
    /// - Throws: `SystemError`; `EINVAL` for anything but a regular file.
    static func format(of raw: Int32) throws -> MediaFormat? {
        guard try FileStatus(of: raw).isRegular else { throw SystemError("read", code: EINVAL) }
        var header = [UInt8](repeating: 0, count: MediaFormat.headerSize)
        let count = try header.withUnsafeMutableBytes { try readFile(raw, into: $0) }
        return MediaFormat(Array(header.prefix(count)))
    }

    /// Copies a regular file to a new one that nobody may write, and waits until it is on the disk.
    ///
    /// - Throws: `SystemError`; `EFBIG` for a file of more than `largest` bytes.
    static func copy(_ source: Int32, to path: String, upTo largest: Int) throws(SystemError) {
        let size = try FileStatus(of: source).size
        guard size <= largest else { throw SystemError("copy", code: EFBIG) }
        let target = try createFile(path)
        _ = try copyFile(from: source, to: target.raw, size: size)
        guard fchmod(target.raw, 0o400) == 0 else { throw SystemError("fchmod") }
        guard fsync(target.raw) == 0 else { throw SystemError("fsync") }
    }

    /// Waits until the names in a folder are on the disk.
    static func synchronize(folder: String) throws(SystemError) {
        let descriptor = try openDirectory(folder)
        guard fsync(descriptor.raw) == 0 else { throw SystemError("fsync") }
    }
}

/// The property list of an asset.
struct AssetRecord {
    var original: String
    var fileName: String
    var format: MediaFormat
    var subtypes: Int
    var created: Double?
    var place: PhotoPlace?
    var rendering: String?
    var adjustment: PhotoAdjustment?

    init(original: String, fileName: String, format: MediaFormat, subtypes: Int) {
        (self.original, self.fileName, self.format, self.subtypes) = (original, fileName, format, subtypes)
    }

    init(reading path: String) throws {
        let bytes = try readFile(path, maximumSize: PropertyListLimits.file.bytes, followingLinks: false)
        let members = try PropertyList(binary: bytes, limits: .file).dictionary
        guard let members, let original = members["original"]?.string, let name = members["fileName"]?.string,
            let format = members["format"]?.string.flatMap(MediaFormat.init),
            let subtypes = members["subtypes"]?.integer
        else { throw CocoaError(.fileReadCorruptFile) }
        try Self.check(original)
        self.init(original: original, fileName: name, format: format, subtypes: Int(subtypes))
        created = members["created"]?.real
        if let latitude = members["latitude"]?.real, let longitude = members["longitude"]?.real {
            place = PhotoPlace(latitude: latitude, longitude: longitude)
        }
        guard let rendering = members["rendering"]?.string, let identifier = members["formatIdentifier"]?.string,
            let version = members["formatVersion"]?.string, let data = members["data"]?.data
        else { return }
        try Self.check(rendering)
        self.rendering = rendering
        adjustment = PhotoAdjustment(formatIdentifier: identifier, formatVersion: version, data: data)
    }

    /// A file of an asset is in the asset's folder. The edit deletes old ones, so no other file may be named.
    private static func check(_ name: String) throws {
        guard !name.isEmpty, !name.contains("/"), ![".", ".."].contains(name) else {
            throw CocoaError(.fileReadCorruptFile)
        }
    }

    /// Writes a new file, and waits until it is on the disk.
    func write(to path: String) throws {
        let file = SharedDescriptor(try createFile(path))
        let bytes = try plist.encodeBinary()
        try bytes.withUnsafeBytes { try LinuxDescriptors.write($0, to: file.raw) }
        guard fsync(file.raw) == 0 else { throw SystemError("fsync") }
    }

    private var plist: PropertyList {
        var members: [(String, PropertyList)] = [
            ("original", .string(original)), ("fileName", .string(fileName)), ("format", .string(format.rawValue)),
            ("subtypes", .integer(Int64(subtypes))),
        ]
        if let created { members.append(("created", .real(created))) }
        if let place { members += [("latitude", .real(place.latitude)), ("longitude", .real(place.longitude))] }
        if let rendering, let adjustment {
            members += [
                ("rendering", .string(rendering)), ("formatIdentifier", .string(adjustment.formatIdentifier)),
                ("formatVersion", .string(adjustment.formatVersion)), ("data", .data(adjustment.data)),
            ]
        }
        return .dictionary(PropertyListDictionary(members))
    }

    func asset(_ id: String, in folder: String) -> AssetLibrary.Asset {
        AssetLibrary.Asset(
            id: id, media: format.media, subtypes: subtypes, created: created, place: place, fileName: fileName,
            format: format, original: "\(folder)/\(original)", rendering: rendering.map { "\(folder)/\($0)" },
            adjustment: adjustment)
    }
}
