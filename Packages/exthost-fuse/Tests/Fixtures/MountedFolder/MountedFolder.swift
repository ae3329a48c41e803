// MountedFolder: a program that mounts a plain folder as a provider, runs a command with it, and unmounts it.

import FolderFiles
import Foundation
import Glibc
import LinuxDescriptors
import LinuxSystem
import MountedFiles
import PointHosts

/// `MountedFolder [--limit MS] [--read-only] [--hostile MANY] [--fail-every N] FOLDER COMMAND…`
///
/// FOLDER gets the folders `provider`, `store` and `mount`, and `faults` is the file of the provider's faults. COMMAND runs
/// in FOLDER, and SIGUSR1 makes the provider tell of changes. The exit status is that of the command.
@main
enum MountedFolder {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        var options = FileMount.Options(store: "")
        var many: Int?
        var failEvery = 0
        while let option = arguments.first, option.hasPrefix("--") {
            arguments.removeFirst()
            switch option {
            case "--limit": options.limit = .milliseconds(Int(arguments.removeFirst()) ?? 30_000)
            case "--read-only": options.isReadOnly = true
            case "--hostile": many = Int(arguments.removeFirst())
            case "--fail-every": failEvery = Int(arguments.removeFirst()) ?? 0
            default: fatalError("there is no option \(option)")
            }
        }
        let folder = arguments.removeFirst()
        for name in ["provider", "store", "mount"] { mkdir("\(folder)/\(name)", 0o755) }
        options.store = folder + "/store"
        signal(SIGPIPE, SIG_IGN)
        let faults = Faults(path: folder + "/faults", failEvery: failEvery)
        let provider = FolderFiles(folder + "/provider", store: folder + "/store", faults: faults)
        let files: any ProvidedFiles = many.map { HostileFiles(many: $0) } ?? provider
        signal(SIGUSR1, SIG_IGN)
        let announcements = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
        announcements.setEventHandler { Task { await provider.announce() } }
        announcements.resume()
        let mount: FileMount
        do {
            mount = try await FileMount.mount(files, at: folder + "/mount", options: options) { line in
                StandardStreams.writeError("log: \(line)\n")
            }
        } catch {
            StandardStreams.writeError("\(error)\n")
            exit(error.exitStatus)
        }
        var attributes = SpawnAttributes(
            executable: arguments[0], arguments: Array(arguments.dropFirst()),
            environment: ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" } + ["DRIVER=\(getpid())"],
            workingDirectory: folder)
        (attributes.standardOutput, attributes.standardError) = (.descriptor(1), .descriptor(2))
        attributes.onDaemonExit = .keep
        let process = try spawn(attributes)
        let pid = process.pid
        let status: Int32 = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F))
            }
        }
        await mount.end()
        let (ending, undelivered) = await mount.ended()
        StandardStreams.writeError("ended: \(ending), undelivered \(undelivered)\n")
        exit(status)
    }
}
