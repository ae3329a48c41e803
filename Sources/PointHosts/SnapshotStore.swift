// SnapshotStore: the pictures of widgets in a folder, which outlive their host.

import ExtensionHost
import ExtensionProtocol
import Foundation
import PointMessages
import PropertyListCoding

/// A folder with a property list for each widget.
struct SnapshotStore: Sendable {
    private let folder: String

    init(_ folder: String) { self.folder = folder }

    private func path(_ identifier: String) -> String {
        // The identifier of a bundle has no slash; a stranger's may.
        folder + "/" + identifier.replacingOccurrences(of: "/", with: "_") + ".plist"
    }

    func write(_ snapshot: TodayHost.Snapshot, of identifier: String) {
        let plist: PropertyList = [
            "view": snapshot.view.plist, "height": .real(snapshot.height), "clipped": .boolean(snapshot.isClipped),
            "stale": .boolean(snapshot.isStale),
        ]
        guard let bytes = try? plist.encodeBinary() else { return }
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? Data(bytes).write(to: URL(fileURLWithPath: path(identifier)), options: .atomic)
    }

    func read(_ identifier: String) -> TodayHost.Snapshot? {
        guard let data = FileManager.default.contents(atPath: path(identifier)),
            let members = try? PropertyList(binary: [UInt8](data), limits: .payload).dictionary,
            let view = members["view"], let height = members["height"]?.real,
            let isClipped = members["clipped"]?.boolean
        else { return nil }
        var snapshot = TodayHost.Snapshot(
            TodayPicture(view: PointValue(view), height: height, isClipped: isClipped), height: height)
        snapshot?.isStale = members["stale"]?.boolean ?? false
        return snapshot
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
