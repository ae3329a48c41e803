// StaleApps: the detection of apps that are older than their sources, so that no test passes on an extension that is
// not the one in the editor.

import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Locks
import SourceStamps

package enum StaleApps {
    /// An app, which is compared once for each process, and again after it was made again.
    private struct App: Hashable {
        let path: String
        let inode: UInt64
        let modified: Int
    }

    private static let known = Mutex<[App: String?]>([:])
    private static let appsLimit = 10_000
    /// Whether a stale app is an error. The services of continuous integration set the variable to `true`.
    private static var isError: Bool { ProcessInfo.processInfo.environment["CI"] == "true" }

    /// Returns a line for each app in the folders of a daemon's options that is older than its sources.
    ///
    /// New lines also go to standard error: most runs of a test show no timeline.
    ///
    /// - Throws: `invalidArgument` in place of the first line, if the environment has `CI=true`.
    static func warnings(ofOptions options: [String]) throws -> [String] {
        try warnings(of: folders(in: options).flatMap(apps))
    }

    /// Returns the warnings for these apps.
    @discardableResult
    package static func warnings(of apps: [String]) throws -> [String] {
        try apps.compactMap { app throws -> String? in
            guard let difference = difference(of: app) else { return nil }
            let message = "the app \(app) is older than its sources: \(difference)"
            let remedy =
                "Bundle it again with exthostctl bundle; a test with package: #filePath instead of applications does this itself"
            guard !isError else {
                throw ExtensionHostError(.invalidArgument, message, remedy: remedy)
            }
            return printable("\(message). \(remedy)")
        }
    }

    private static func folders(in options: [String]) -> [String] {
        let name = "--applications"
        return options.indices.compactMap { index in
            if options[index] == name { return options.dropFirst(index + 1).first }
            return options[index].hasPrefix(name + "=") ? String(options[index].dropFirst(name.count + 1)) : nil
        }
    }

    private static func apps(in folder: String) -> [String] {
        if folder.hasSuffix(".app") { return [folder] }
        let names = (try? listDirectory(folder, maximumCount: appsLimit)) ?? []
        return names.filter { $0.hasSuffix(".app") }.sorted().map { "\(folder)/\($0)" }
    }

    private static func difference(of path: String) -> String? {
        var status = stat()
        guard stat("\(path)/\(SourceStamps.fileName)", &status) == 0 else { return nil }
        let app = App(
            path: path, inode: UInt64(status.st_ino),
            modified: Int(status.st_mtim.tv_sec) * 1_000_000_000 + Int(status.st_mtim.tv_nsec))
        if let known = known.withLock({ $0[app] }) { return known }
        let difference = SourceStamps(app: path)?.difference.map { "\($0)" }
        known.withLock { $0[app] = .some(difference) }
        if let difference, !isError {
            StandardStreams.writeError("warning: \(printable("\(path) is older than its sources: \(difference)"))\n")
        }
        return difference
    }
}
