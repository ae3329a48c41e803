// SourceWatch: the changes of files in folders of sources, as they happen.

import Foundation
import Glibc
import LinuxSystem
import SourceStamps

/// A watch that reports each change once the files are quiet again: an editor writes a file in several steps, and a
/// branch has many files. It lasts as long as the program.
final class SourceWatch: Sendable {
    /// The quiet time after the last event of a change, in milliseconds.
    private static let quiet: Int32 = 100
    /// The limits of folders below the watched ones, and of levels.
    private static let (foldersLimit, depthLimit) = (4096, 16)

    private let folders: [String]
    private let outputs: [String]
    private let report: @Sendable (String) -> Void

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - folders: absolute paths. Hidden files, and files that Python, bundles and SwiftPM write, do not count.
    ///   - outputs: absolute paths that do not count either, each with everything below it.
    ///   - report: gets the first file of each change, in words, on the thread of the watch.
    /// - Throws: `SystemError` if the kernel has no watch left (`fs.inotify.max_user_instances`), or there is no
    ///   thread.
    init(_ folders: [String], without outputs: [String], report: @escaping @Sendable (String) -> Void)
        throws(SystemError)
    {
        (self.folders, self.outputs, self.report) = (folders, outputs, report)
        // From here on only the thread uses it.
        nonisolated(unsafe) let kernel = try FolderChanges()
        // The root is always there, so each folder counts by itself.
        let before = SourceStamps(project: "/", folders: folders, files: [])
        try startThread(named: "source-watch") { [self] in run(kernel, before) }
    }

    private func run(_ kernel: FolderChanges, _ first: SourceStamps) {
        var stamps = first
        var hasReportedLimit = false
        while true {
            if !watchAll(kernel), !hasReportedLimit {
                hasReportedLimit = true
                StandardError.line("exthostctl: some folders are not watched; raise fs.inotify.max_user_watches")
            }
            // The comparison follows the setting of the watches, so that no change falls in between.
            if let difference = stamps.difference(without: isOutput) {
                report("\(difference.path) \(difference.kind.rawValue)")
                stamps = SourceStamps(project: "/", folders: folders, files: [])
            }
            poll(kernel, for: -1)
            repeat { _ = kernel.events() } while poll(kernel, for: Self.quiet)
        }
    }

    private func isOutput(_ path: String) -> Bool {
        path.hasSuffix("/Package.resolved") || outputs.contains { path == $0 || path.hasPrefix($0 + "/") }
    }

    /// Sets a watch on each folder that has none yet.
    ///
    /// - Returns: whether the kernel and the limits allowed all of them.
    private func watchAll(_ kernel: FolderChanges) -> Bool {
        var queue = folders.map { (path: $0, depth: 0) }
        var count = 0
        while let (path, depth) = queue.popLast() {
            guard count < Self.foldersLimit, depth <= Self.depthLimit else { return false }
            do throws(SystemError) {
                _ = try kernel.watch(path, for: .contents)
            } catch {
                if error.code == ENOSPC { return false }
                // It is a file, or gone.
                continue
            }
            count += 1
            for name in (try? listDirectory(path, maximumCount: 10_000)) ?? [] where SourceStamps.isSource(name) {
                queue.append(("\(path)/\(name)", depth + 1))
            }
        }
        return true
    }

    /// - Returns: whether there are events before `milliseconds` have passed; a negative value means no limit.
    @discardableResult
    private func poll(_ kernel: FolderChanges, for milliseconds: Int32) -> Bool {
        var request = pollfd(fd: kernel.raw, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&request, 1, milliseconds) > 0
    }
}
