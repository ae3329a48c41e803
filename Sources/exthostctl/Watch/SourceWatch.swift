// SourceWatch: the changes of files in folders of sources, as they happen.

import Foundation
import Glibc
import LinuxSystem
import SourceStamps

/// A watch that reports each change once the files are quiet again: an editor writes a file in several steps, and a
/// branch has many files.
final class SourceWatch: Sendable {
    /// The quiet time after the last event of a change, in milliseconds.
    private static let quiet: Int32 = 100
    /// The limits of folders below the watched ones, and of levels.
    private static let (foldersLimit, depthLimit) = (4096, 16)

    /// The first file of each change, in words.
    let changes: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let folders: [String]

    /// Begins to watch.
    ///
    /// - Parameter folders: absolute paths. Hidden files, and files that Python and bundles write, do not count.
    /// - Throws: `SystemError` if the kernel has no watch left (`fs.inotify.max_user_instances`).
    init(_ folders: [String]) throws(SystemError) {
        self.folders = folders
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let before = SourceStamps(project: folders.first ?? "/", folders: folders, files: [])
        try startThread(named: "source-watch") { [self] in run(before) }
    }

    /// Ends the stream.
    func finish() { continuation.finish() }

    private func run(_ first: SourceStamps) {
        var stamps = first
        guard let kernel = try? FolderChanges() else { return continuation.finish() }
        while true {
            watchAll(kernel)
            // The comparison follows the setting of the watches, so that no change falls in between.
            if let difference = stamps.difference {
                stamps = SourceStamps(project: stamps.project, folders: folders, files: [])
                continuation.yield("\(difference.path) \(difference.kind.rawValue)")
            }
            poll(kernel, for: -1)
            repeat { _ = kernel.events() } while poll(kernel, for: Self.quiet)
        }
    }

    /// Sets a watch on each folder that has none yet.
    private func watchAll(_ kernel: FolderChanges) {
        var queue = folders.map { (path: $0, depth: 0) }
        var count = 0
        while let (path, depth) = queue.popLast(), count < Self.foldersLimit {
            guard (try? kernel.watch(path, for: .contents)) != nil else { continue }
            count += 1
            guard depth < Self.depthLimit else { continue }
            for name in (try? listDirectory(path, maximumCount: 10_000)) ?? [] where SourceStamps.isSource(name) {
                queue.append(("\(path)/\(name)", depth + 1))
            }
        }
    }

    /// - Returns: whether there are events before `milliseconds` have passed; a negative value means no limit.
    @discardableResult
    private func poll(_ kernel: FolderChanges, for milliseconds: Int32) -> Bool {
        var request = pollfd(fd: kernel.raw, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&request, 1, milliseconds) > 0
    }
}
