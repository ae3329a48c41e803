// SourceOverlay: the file that makes the compiler read copies instead of the author's files.

import Foundation
import Glibc

struct SourceOverlay {
    /// The source step's folder of the build.
    let folder: String

    /// The file for `-vfsoverlay`, and the modules whose objects were compiled from other texts.
    struct Written {
        var path: String?
        var stale: [String] = []
    }

    /// The state of a file at the last build of its module.
    private struct State: Codable, Equatable {
        var size: Int
        /// The time of modification, in nanoseconds.
        var modified: Int
        var isCopied: Bool
    }

    /// Writes the overlay if it has changed, and compares the originals with their last state.
    func write(_ report: SourceStepReport) throws -> Written {
        let place = folder + "/state.json"
        let before =
            (try? JSONDecoder().decode([String: State].self, from: Data(contentsOf: URL(fileURLWithPath: place))))
            ?? [:]
        var now: [String: State] = [:]
        var written = Written()
        for target in report.targets {
            for file in target.files {
                now[file.original] = Self.state(of: file)
                let old = before[file.original]
                let sameOriginal =
                    old == nil || old?.size == now[file.original]?.size && old?.modified == now[file.original]?.modified
                let other = file.changed || (old?.isCopied ?? false) != (file.copy != nil)
                if sameOriginal, other, !written.stale.contains(target.module) { written.stale.append(target.module) }
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let copied = report.targets.flatMap(\.files).filter { $0.copy != nil }
            if !copied.isEmpty {
                let path = folder + "/overlay.yaml"
                let data = try encoder.encode(Overlay(roots: copied.flatMap(Self.roots)))
                if (try? Data(contentsOf: URL(fileURLWithPath: path))) != data {
                    try data.write(to: URL(fileURLWithPath: path))
                }
                written.path = path
            }
            try encoder.encode(now).write(to: URL(fileURLWithPath: place), options: .atomic)
        } catch {
            throw ProjectError(
                ProjectFinding(.notWritten, folder, error.localizedDescription, remedy: "Make the folder writable"))
        }
        return written
    }

    private static func state(of file: SourceStepReport.File) -> State {
        var status = stat()
        guard stat(file.original, &status) == 0 else { return State(size: 0, modified: 0, isCopied: file.copy != nil) }
        let modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
        return State(size: Int(status.st_size), modified: modified, isCopied: file.copy != nil)
    }

    /// The overlay in the form of LLVM's virtual file system, which is YAML. JSON is valid YAML.
    private struct Overlay: Encodable {
        struct Root: Encodable {
            enum CodingKeys: String, CodingKey {
                case name, type
                case contents = "external-contents"
            }

            let type = "file"
            let name: String
            let contents: String
        }

        enum CodingKeys: String, CodingKey {
            case version, roots
            case isCaseSensitive = "case-sensitive"
        }

        let version = 0
        let isCaseSensitive = "true"
        let roots: [Root]
    }

    /// Returns the overlay's entries of a file: SwiftPM may name it by its path, or by the path without links.
    private static func roots(_ file: SourceStepReport.File) -> [Overlay.Root] {
        guard let copy = file.copy else { return [] }
        let folder = URL(fileURLWithPath: file.original).deletingLastPathComponent().resolvingSymlinksInPath().path
        let name = file.original.split(separator: "/").last.map(String.init) ?? ""
        return Set([file.original, "\(folder)/\(name)"]).sorted().map { Overlay.Root(name: $0, contents: copy) }
    }
}
