// SnapshotStore: the pictures of widgets in a folder, which outlive their host.

import ExtensionHost
import ExtensionProtocol
import Foundation
import Glibc
import LinuxDescriptors
import PointMessages
import PropertyListCoding

/// A folder with a property list for each widget.
struct SnapshotStore: Sendable {
    /// The characters of bundle identifiers.
    private static let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-."))

    private let folder: String

    init(_ folder: String) { self.folder = folder }

    private func path(_ identifier: String) -> String {
        // A host may pass any text; two of them never share a file.
        let name = identifier.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? ""
        return folder + "/" + name + ".plist"
    }

    /// - Throws: `ExtensionHostError` `stateUnavailable`.
    func write(_ snapshot: TodayHost.Snapshot, of identifier: String) throws {
        let plist: PropertyList = [
            "extension": .string(identifier), "view": snapshot.view.plist, "height": .real(snapshot.height),
            "clipped": .boolean(snapshot.isClipped), "stale": .boolean(snapshot.isStale),
        ]
        do {
            let bytes = try plist.encodeBinary()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(fileURLWithPath: path(identifier)), options: .atomic)
        } catch {
            throw ExtensionHostError(
                .stateUnavailable, "the picture of \(identifier) cannot be stored in \(folder)",
                remedy: "Name a folder that the host may write, on a disk with free space", cause: "\(error)")
        }
    }

    func remove(_ identifier: String) throws {
        guard unlink(path(identifier)) != 0, errno != ENOENT else { return }
        throw ExtensionHostError(
            .stateUnavailable, "the picture of \(identifier) cannot be removed from \(folder)",
            remedy: "Name a folder that the host may write", cause: "\(SystemError("unlink"))")
    }

    func read(_ identifier: String) -> TodayHost.Snapshot? {
        guard let stored = read(path: path(identifier)), stored.identifier == identifier else { return nil }
        return stored.snapshot
    }

    /// All pictures, by the identifiers of their widgets. Files that cannot be read are omitted.
    var all: [String: TodayHost.Snapshot] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let stored = names.filter { $0.hasSuffix(".plist") }.compactMap { read(path: folder + "/" + $0) }
        return Dictionary(stored.map { ($0.identifier, $0.snapshot) }) { first, _ in first }
    }

    private func read(path: String) -> (identifier: String, snapshot: TodayHost.Snapshot)? {
        guard let data = FileManager.default.contents(atPath: path),
            let members = try? PropertyList(binary: [UInt8](data), limits: .payload).dictionary,
            let identifier = members["extension"]?.string, let view = members["view"],
            let height = members["height"]?.real, height.isFinite, let isClipped = members["clipped"]?.boolean
        else { return nil }
        let picture = TodayPicture(view: PointValue(view), height: height, mode: .compact, isClipped: isClipped)
        guard var snapshot = TodayHost.Snapshot(picture, height: height) else { return nil }
        snapshot.isStale = members["stale"]?.boolean ?? false
        return (identifier, snapshot)
    }
}

extension TodayHost.Snapshot {
    /// Reads a widget's picture; nil if its view cannot be read.
    init?(_ picture: TodayPicture, height: Double) {
        guard let view = try? ViewElement(plist: picture.view.plist) else { return nil }
        self.view = view
        self.height = height
        isClipped = picture.isClipped
        // FNV-1a, over a form that is the same for the same view.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(view)|\(height)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        digest = String(hash, radix: 16)
    }
}
