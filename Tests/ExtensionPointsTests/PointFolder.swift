// PointFolder: a folder of extension points, made for one test.

import ExtensionPoints
import Foundation
import LinuxSystem

/// Removed with its last reference.
final class PointFolder: Sendable {
    let directory: TemporaryDirectory
    var path: String { directory.path }

    init() throws { directory = try TemporaryDirectory(prefix: "exthost-points") }

    deinit { try? directory.remove() }

    /// A property list in XML around the elements of one dictionary.
    static func document(_ elements: String) -> [UInt8] {
        Array(#"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>\#(elements)</dict></plist>"#.utf8)
    }

    /// The least that a point needs, and `more`.
    static func point(_ identifier: String, _ more: String = "") -> [UInt8] {
        document("<key>Identifier</key><string>\(identifier)</string><key>Interface</key><false/>" + more)
    }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }
}
