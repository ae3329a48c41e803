// ThumbnailDriver: `run` for a thumbnail extension: the thumbnail of a file.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import Foundation
import Glibc
import ImageCodecs
import LinuxDescriptors
import PointHosts
import PointMessages
import Scenarios

struct ThumbnailDriver: PointDriver {
    static let point = ThumbnailHost.point
    static let showsView = false
    static let takesFile = true
    static let sharedOptions: Set<String> = ["--out", "--type"]

    static var exploredCalls: [ExplorationCall] {
        get throws {
            let file = try ExploredFile.make()
            let message = ProvideThumbnail(fileName: "explored.txt", file: file, width: 64, height: 64)
            return [
                ExplorationCall(message), ExplorationCall(message),
                ExplorationCall(EndThumbnails(), after: [1, 2], isLast: true),
            ]
        }
    }

    private let path: String
    private let type: String?
    private let (size, scale): (Double, Double)
    private let out: String?

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        guard let file = command.payload.file.first else {
            throw CommandError.usage("a thumbnail is that of a file", remedy: "Name the file with --file")
        }
        (self.path, type, out) = (file, options.type, options.out)
        (size, scale) = (options.size ?? 256, options.scale ?? 1)
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let thumbnails = ThumbnailHost(host, inspector: try? ImageInspector())
        let ending = ThumbnailEnding(
            try await thumbnails.thumbnail(ofFileAt: path, type: type, size: size, scale: scale, by: identifier))
        if let out, case .image(let file, _) = ending.thumbnail.answer { try WrittenFile.write(file, to: out) }
        var text = "\(ending.headline): \(printable(identifier))"
        if let pid = ending.thumbnail.request?.processIdentifier { text += ", pid \(pid)" }
        text += "\n"
        for line in ending.lines { text += "  \(printable(line))\n" }
        return PointReport(
            text: text, json: [("extension", .string(identifier))] + ending.members,
            status: ending.result.word == .made ? 0 : ExitStatus.notExpected)
    }
}

/// The end of a wish for a thumbnail, for people, for `--json` and for scenarios.
struct ThumbnailEnding: Sendable {
    let thumbnail: ThumbnailHost.Thumbnail

    init(_ thumbnail: ThumbnailHost.Thumbnail) { self.thumbnail = thumbnail }

    var headline: String { ["\(result.word.rawValue)", result.why].compactMap(\.self).joined(separator: ", ") }

    var lines: [String] {
        var lines = ["type: \(thumbnail.type)"]
        if let (width, height, format) = image {
            lines.append("\(width) × \(height) pixels, \(thumbnail.isDrawn ? "drawn" : "a \(format) file")")
        }
        if !thumbnail.badge.isEmpty { lines.append("badge: \(thumbnail.badge)") }
        return lines + thumbnail.remarks.map { "remark: \($0)" }
    }

    private var image: (width: Int, height: Int, format: String)? {
        guard case .image(_, let header?) = thumbnail.answer else { return nil }
        return (header.width, header.height, header.format.name)
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch thumbnail.answer {
        case .image: (.made, nil)
        case .nothing: (.nothing, "the extension has no thumbnail")
        case .typeNotSupported: (.refused, "the extension does not list the type \(thumbnail.type)")
        case .tooSmall(let least): (.refused, "the extension makes no thumbnails below \(least) points")
        case .failed(let failure): (failure.word, "\(failure)")
        }
    }

    var members: [(name: String, value: JSON)] {
        [
            ("outcome", .string(result.word.rawValue)), ("reason", .optional(result.why)),
            ("pid", .optional(thumbnail.request?.processIdentifier)), ("type", .string(thumbnail.type)),
            ("width", .optional(image?.width)), ("height", .optional(image?.height)),
            ("drawn", .boolean(thumbnail.isDrawn)), ("badge", .string(thumbnail.badge)),
            ("remarks", .array(thumbnail.remarks.map { .string($0) })),
        ]
    }
}

/// A small text file for `explore`.
enum ExploredFile {
    /// - Throws: `SystemError`, or Foundation's errors, if it cannot be made.
    static func make() throws -> PointFile {
        let folder = try TemporaryDirectory(prefix: "exthost-explore")
        defer { try? folder.remove() }
        let path = folder.path + "/explored.txt"
        try Data("explored".utf8).write(to: URL(fileURLWithPath: path))
        return try PointFile(readingAt: path)
    }
}

/// The file that an option names for the result.
enum WrittenFile {
    /// Writes a copy of a file, which takes the place of an older one once it is whole.
    ///
    /// - Throws: `CommandError` if the path cannot be written, or is a folder.
    static func write(_ file: SharedDescriptor, to path: String) throws {
        let draft = "\(path).\(getpid())"
        do {
            let target = SharedDescriptor(try createFile(draft))
            _ = try copyFile(from: file.raw, to: target.raw, size: try FileStatus(of: file.raw).size)
            guard rename(draft, path) == 0 else { throw SystemError("rename") }
        } catch {
            unlink(draft)
            throw CommandError.usage("\(path) cannot be written", remedy: "Name a file in a folder that you may write")
        }
    }
}
