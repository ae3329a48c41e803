// ExtensionReplay: the replay of a transcript's extensions against a present host.

import ExtensionHost
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Locks
import PropertyListCoding
public import Transcripts

extension Transcript {
    /// Runs `host` with a private daemon whose extensions repeat the recorded messages, and compares the hosts with the
    /// recording.
    ///
    /// It compares their messages, in order for each request, and their contents, except identifiers, dates and
    /// serials. An extension sends a message when everything recorded before it has arrived. It omits answers to
    /// requests that the host does not make.
    ///
    /// - Parameters:
    ///   - paths: places in messages that are not compared, as `payload[0].userInfo.date`; `*` stands for any key or
    ///     place.
    ///   - patience: the time limit without an event, in real time.
    ///   - arguments: more options of the private daemon.
    ///   - host: the host; its task is cancelled at the first divergence.
    /// - Returns: the first divergence; nil if there is none.
    /// - Throws: `ExtensionHostError` `invalidArgument` for a recording that cannot be replayed, with the missing
    ///   parts; the error of `host`, if there was no divergence before; as `TestDaemon.start`.
    public func replayAsExtension(
        ignoring paths: [String] = [], patience: Duration = .seconds(10), arguments: [String] = [],
        _ host: @escaping @Sendable (TestDaemon) async throws -> Void
    ) async throws -> TranscriptDivergence? {
        try checkSayable(by: .extension)
        return try await unbroken.playExtensions(ignoring: paths, patience: patience, arguments: arguments, host)
    }

    private func playExtensions(
        ignoring paths: [String], patience: Duration, arguments: [String],
        _ host: @escaping @Sendable (TestDaemon) async throws -> Void
    ) async throws -> TranscriptDivergence? {
        let folder = try TemporaryDirectory(prefix: "exthost-replay")
        defer { try? folder.remove() }
        try makeBundles(in: folder.path)
        let session = try await ReplaySession.start(self, applications: [folder.path], arguments: arguments)
        let running = HostTask(session.mailbox) { try await host(session.daemon) }
        let divergence: TranscriptDivergence?
        do {
            divergence = try await follow(session, running, paths, patience)
        } catch {
            running.cancel()
            try? await session.daemon.stop()
            throw error
        }
        try await session.daemon.stop()
        return divergence
    }

    private func follow(
        _ session: ReplaySession, _ running: HostTask, _ paths: [String], _ patience: Duration
    ) async throws -> TranscriptDivergence? {
        var comparison = SideComparison(of: .host, in: self, ignoring: paths)
        var progress = HostProgress.running
        var connected: Set<Int> = []
        while true {
            if let entry = await session.mailbox.next(within: progress == .leaving ? Self.farewell : patience) {
                switch entry.content {
                case .gap: throw ReplaySession.gap
                case .ended(let end): connected.remove(end.connection)
                case .packet(let packet):
                    if packet.role == .host, packet.kind == "hello", !packet.isFromDaemon {
                        connected.insert(packet.connection)
                    }
                    guard let divergence = comparison.observe(packet) else { break }
                    await running.end()
                    return divergence
                case .event, .timer: break
                }
                guard progress == .leaving, connected.isEmpty else { continue }
            } else if progress == .ending {
                break
            } else if progress == .running {
                // The end of the host's task wakes the wait.
                guard running.hasEnded else {
                    await running.end()
                    return comparison.missing(note: "no event within \(patience)")
                        ?? TranscriptDivergence(
                            packet: "the host",
                            difference: PropertyListDifference(path: "kind", expected: nil, found: "still running"),
                            note: "it has sent all its messages, and does not exit")
                }
                progress = .leaving
                guard connected.isEmpty else { continue }
            }
            progress = .ending
            await session.endRecording()
        }
        if let divergence = comparison.missing(note: "the host has exited") { return divergence }
        try await running.value()
        return nil
    }

    /// The time limit for a host's last messages after its task has ended.
    private static let farewell = Duration.seconds(2)

    /// Makes a bundle for each extension of the recording, whose program plays its part.
    private func makeBundles(in folder: String) throws {
        let program = try ReplayProgram.locate()
        for execution in executions {
            let application = "\(folder)/\(execution.identifier).app"
            let bundle = "\(application)/PlugIns/Replay.appex"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            let parts = execution.identifier.split(separator: ".").dropLast()
            try Self.write(
                ["CFBundleIdentifier": parts.isEmpty ? "replay" : parts.joined(separator: ".")], to: application)
            try Self.write(
                [
                    "CFBundleIdentifier": execution.identifier, "CFBundleExecutable": "exthost-replay",
                    "CFBundleVersion": "1",
                    "CFBundleDisplayName": execution.identifier,
                    "NSExtension": [
                        "NSExtensionPointIdentifier": execution.point,
                        "NSExtensionAttributes": ["NSExtensionActivationRule": "TRUEPREDICATE"],
                    ],
                ], to: bundle)
            // A copy that is open for writing in a child that another thread has just started cannot be executed: a
            // link has no writer.
            if link(program, "\(bundle)/exthost-replay") != 0 {
                try FileManager.default.copyItem(atPath: program, toPath: "\(bundle)/exthost-replay")
            }
            let writer = try TranscriptWriter(path: "\(bundle)/Session.jsonl", header: header)
            try writer.append(entries)
            try writer.finish()
        }
    }

    /// The executions that the recorded extensions got in their welcome, one for each identifier.
    private var executions: [Execution] {
        var found: [String: Execution] = [:]
        for (packet, _) in packets where packet.role == .extension && packet.kind == "welcome" {
            guard let wire = packet.body[Key.execution.rawValue], let execution = Execution(wire: wire) else {
                continue
            }
            // The identifier becomes the name of a folder.
            guard !execution.identifier.isEmpty, !execution.identifier.contains("/"),
                !execution.identifier.hasPrefix(".")
            else {
                continue
            }
            found[execution.identifier] = execution
        }
        return found.values.sorted { $0.identifier < $1.identifier }
    }

    private static func write(_ information: [String: Any], to folder: String) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
        try data.write(to: URL(fileURLWithPath: "\(folder)/Info.plist"))
    }
}

/// The progress of the present host.
private enum HostProgress {
    case running
    /// The host's task has ended, and its connections are read to their ends.
    case leaving
    /// All events have happened.
    case ending
}

/// The search for `exthost-replay`: beside the daemon, or in an installation's folder.
private enum ReplayProgram {
    static func locate() throws -> String {
        let daemon = URL(fileURLWithPath: try DaemonProgram.locate()).resolvingSymlinksInPath()
            .deletingLastPathComponent().path
        let places = ["\(daemon)/exthost-replay", "\(daemon)/../libexec/exthost/exthost-replay"]
        if let found = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) { return found }
        throw ExtensionHostError(
            .launchFailed, "exthost-replay was not found at \(places.joined(separator: " or "))",
            remedy:
                #"Install it beside exthostd; in a package, list .product(name: "exthost-replay", package: "exthost") among the test target's dependencies"#
        )
    }
}

/// The host's task, and whether it has ended.
private final class HostTask: Sendable {
    private final class Flag: Sendable {
        private let state = Mutex(false)
        var isSet: Bool { state.withLock { $0 } }
        func set() { state.withLock { $0 = true } }
    }

    private let task: Task<Void, any Error>
    private let flag: Flag

    /// Starts the task; `mailbox` is woken when it has ended.
    init(_ mailbox: EntryMailbox, _ body: @escaping @Sendable () async throws -> Void) {
        let flag = Flag()
        self.flag = flag
        task = Task {
            defer {
                flag.set()
                mailbox.wake()
            }
            try await body()
        }
    }

    var hasEnded: Bool { flag.isSet }

    func cancel() { task.cancel() }

    /// Cancels the task and waits for its end.
    func end() async {
        task.cancel()
        _ = await task.result
    }

    func value() async throws { try await task.value }
}
