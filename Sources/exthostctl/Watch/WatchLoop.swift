// WatchLoop: repeated runs of this command, one after each change of its sources.

import ExtensionHostTesting
import Foundation
import LinuxSystem

/// The state of the loop. Everything that happens is one `Step`, and the loop takes one after the other.
struct WatchLoop {
    private enum Step: Sendable {
        case changed(String)
        /// The run of this number has ended.
        case ended(Int, Result<Int32, any Error>)
        /// The run of this number was told to end a while ago.
        case isOverdue(Int)
    }

    /// The time that a run has to end after a change.
    private static let patience = Duration.seconds(5)

    private let words: [String]
    private let steps: AsyncStream<Step>
    private let continuation: AsyncStream<Step>.Continuation
    private let watch: SourceWatch
    private var number = 0
    private var isRunning = false
    /// The change that ended the current run.
    private var change: String?

    /// Runs this command without `--watch`, and again after each change. A change ends a run in progress.
    ///
    /// - Parameters:
    ///   - folders: absolute paths of folders of sources.
    ///   - outputs: absolute paths that the runs write to.
    /// - Returns: the exit status after a signal, such as that of Ctrl-C. Between two runs a signal has its usual
    ///   effect.
    static func run(_ folders: [String], without outputs: [String?] = []) async throws -> Int32 {
        var loop = try WatchLoop(folders, outputs.compactMap { $0 })
        return try await loop.run()
    }

    private init(_ folders: [String], _ outputs: [String]) throws(CommandError) {
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        (self.steps, self.continuation) = (steps, continuation)
        words = ["/proc/self/exe"] + CommandLine.arguments.dropFirst().filter { $0 != "--watch" }
        do throws(SystemError) {
            let absolute = outputs.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
            watch = try SourceWatch(folders, without: absolute) { continuation.yield(.changed($0)) }
        } catch {
            throw .unexpected("changes of \(folders.joined(separator: ", ")) cannot be watched: \(error)")
        }
    }

    private mutating func run() async throws -> Int32 {
        start()
        for await step in steps {
            switch step {
            case .changed(let change):
                self.change = change
                if isRunning { end() } else { startAgain(change) }
            case .isOverdue(let number): if isRunning, number == self.number { ForegroundCommand.kill() }
            case .ended(let number, let result):
                guard number == self.number else { continue }
                isRunning = false
                _ = try result.get()
                ForegroundCommand.releaseSignals()
                if ForegroundCommand.signal > 0 { return 128 + ForegroundCommand.signal }
                if let change {
                    startAgain(change)
                } else {
                    StandardError.line("exthostctl: waiting for a change; Ctrl-C ends this")
                }
            }
        }
        return 0
    }

    private mutating func start() {
        change = nil
        isRunning = true
        number += 1
        let (number, words, continuation) = (number, words, continuation)
        Task {
            do {
                let status = try await ForegroundCommand.run(words, environment: ProcessInfo.processInfo.environment)
                continuation.yield(.ended(number, .success(status)))
            } catch {
                continuation.yield(.ended(number, .failure(error)))
            }
        }
    }

    private mutating func startAgain(_ change: String) {
        StandardError.line("\nexthostctl: \(printable(change))")
        start()
    }

    private func end() {
        ForegroundCommand.end()
        let (number, continuation) = (number, continuation)
        Task {
            try await Task.sleep(for: Self.patience)
            continuation.yield(.isOverdue(number))
        }
    }

    /// Returns the folder to watch for a path on the command line.
    ///
    /// - Parameter path: absolute; nil of an identifier.
    /// - Throws: `CommandError` if it is not one of sources.
    static func folder(of path: String?, named name: String) throws(CommandError) -> String {
        if let path, path.hasSuffix(".xcodeproj") { return URL(fileURLWithPath: path).deletingLastPathComponent().path }
        guard let path, ProjectBundles.isProject(path) else {
            throw .usage(
                "--watch needs a folder of sources or an Xcode project, and \(name) is neither",
                remedy: "Name the folder of a package, as in: exthostctl run ./Notes --watch")
        }
        return path
    }
}
