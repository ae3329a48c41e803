// WatchLoop: repeated runs of this command, one after each change of its sources.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem

enum WatchLoop {
    /// Runs this command without `--watch`, and again after each change. A change ends a run in progress.
    ///
    /// - Parameter folders: absolute paths of folders of sources.
    /// - Returns: the exit status, after Ctrl-C.
    static func run(_ folders: [String]) async throws -> Int32 {
        let watch: SourceWatch
        do {
            watch = try SourceWatch(folders)
        } catch {
            throw CommandError.unexpected("changes of \(folders.joined(separator: ", ")) cannot be watched: \(error)")
        }
        let words = ["/proc/self/exe"] + CommandLine.arguments.dropFirst().filter { $0 != "--watch" }
        var changes = watch.changes.makeAsyncIterator()
        while true {
            let run = Task {
                let status = try await ForegroundCommand.run(words, environment: ProcessInfo.processInfo.environment)
                // Ctrl-C ends the loop, too.
                guard status != ExitStatus.interrupted else { return watch.finish() }
                for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { signal(number, SIG_DFL) }
                StandardError.line("exthostctl: waiting for a change; Ctrl-C ends this")
            }
            guard let change = await changes.next() else { return ExitStatus.interrupted }
            ForegroundCommand.end()
            try await run.value
            StandardError.line("\nexthostctl: \(printable(change))")
        }
    }

    /// Returns the folder to watch for a path on the command line.
    ///
    /// - Throws: `CommandError` if it is not one of sources.
    static func folder(of path: String) throws(CommandError) -> String {
        let absolute = URL(fileURLWithPath: path).standardizedFileURL
        if absolute.pathExtension == "xcodeproj" { return absolute.deletingLastPathComponent().path }
        guard ProjectBundles.isProject(absolute.path) else {
            throw .usage(
                "--watch is for a folder of sources or an Xcode project, and \(path) is neither",
                remedy: "Name the folder of a package, as in: exthostctl run ./Notes --watch")
        }
        return absolute.path
    }
}
