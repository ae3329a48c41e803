// FUSEProgram: the life of the program: the provider's files, the mount, signals, and the end.

import Dispatch
import ExtensionHost
import ExtensionProtocol
import Foundation
import Glibc
import LinuxDescriptors
import MountedFiles
import PointHosts

/// The program. A signal ends it, and so do whoever unmounts the folder and the end of the provider's files.
struct FUSEProgram {
    private let command: ExtensionHostFUSECommand

    init(_ command: ExtensionHostFUSECommand) { self.command = command }

    /// Mounts the folder, waits for its end, and returns the exit status.
    func run() async -> Int32 {
        let (opened, mount): (OpenedFiles, FileMount)
        do {
            // Before anything is asked of a daemon: without it nothing else matters.
            try FileMount.checkMachine()
            opened = try await OpenedFiles(
                command.identifier, domain: command.domain, store: command.storeFolder,
                limit: .seconds(command.limit), daemon: command.daemon)
            var options = FileMount.Options(store: command.storeFolder)
            options.limit = .seconds(command.limit)
            options.isReadOnly = command.isReadOnly
            options.source = command.identifier
            mount = try await FileMount.mount(opened.files, at: command.mountpoint, options: options) { Self.say($0) }
        } catch let failure as MountFailure {
            Self.say("\(failure)")
            return failure.exitStatus
        } catch let error as ExtensionHostError {
            Self.say("\(error)")
            return error.code == .serviceUnavailable ? EX_UNAVAILABLE : error.code.exitStatus
        } catch {
            Self.say("\(error)")
            return EX_SOFTWARE
        }
        let signals = Self.watchSignals { Task { await mount.end() } }
        defer { for source in signals { source.cancel() } }
        Self.say("serves \(command.identifier) at \(command.mountpoint)")
        ServiceNotification.send("READY=1\nSTATUS=Serves \(command.identifier) at \(command.mountpoint)")
        let (ending, undelivered) = await mount.ended()
        ServiceNotification.send("STOPPING=1")
        await opened.close()
        if ending == .providerEnded { Self.say("the files of the provider have ended") }
        if undelivered > 0 { Self.say("the provider did not accept the changes of \(undelivered) files") }
        if undelivered > 0 { return EX_IOERR }
        return ending == .providerEnded ? EX_UNAVAILABLE : 0
    }

    /// Calls `end` at the first signal. The second one ends the program.
    private static func watchSignals(_ end: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        let queue = DispatchQueue(label: "signals")
        nonisolated(unsafe) var count = 0  // Only the queue uses it.
        return [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                count += 1
                if count > 1 { _exit(128 + number) }
                end()
            }
            source.resume()
            return source
        }
    }

    private static func say(_ text: String) { StandardStreams.writeError("exthost-fuse: \(text)\n") }
}
