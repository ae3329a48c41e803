// TranscriptRecorder: the recording of a daemon's session into a file.

public import ExtensionHost
import ExtensionProtocol
import Locks
import Transcripts

/// A recorder of a session into a file that always holds whole lines, whatever ends the recording.
///
/// Safe to use from any thread.
public final class TranscriptRecorder: Sendable {
    private struct State {
        var writer: TranscriptWriter?
        var failure: (any Error)?
        var missing = 0
        var count = 0
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let control: DaemonControl
    private let sink: Sink

    /// The writer of the entries; only the connection's thread writes.
    private final class Sink: Sendable {
        let state = Mutex(State())

        func begin(_ path: String, _ recording: Recording) {
            state.withLock { state in
                do {
                    state.writer = try TranscriptWriter(path: path, header: TranscriptHeader(recording))
                } catch {
                    state.failure = error
                }
            }
        }

        func take(_ entries: [TranscriptEntry]) {
            state.withLock { state in
                guard state.failure == nil else { return }
                for entry in entries {
                    if case .gap(let count) = entry.content { state.missing += count }
                }
                do {
                    try state.writer?.append(entries)
                    state.count += entries.count
                } catch {
                    state.failure = error
                }
            }
        }

        func end() {
            let waiting = state.withLock { state in
                guard !state.hasEnded else { return [CheckedContinuation<Void, Never>]() }
                state.hasEnded = true
                do {
                    if state.failure == nil { try state.writer?.finish() }
                } catch {
                    state.failure = error
                }
                state.writer = nil
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private init(_ control: DaemonControl, _ sink: Sink) {
        self.control = control
        self.sink = sink
    }

    /// Begins to record. When this returns the file exists, and everything that happens from now on will be in it.
    ///
    /// - Parameters:
    ///   - path: the file; created anew, readable by this user only.
    ///   - contents: whether to record the contents of items, values and files. A recording without them cannot be
    ///     replayed.
    ///   - address: the daemon.
    /// - Throws: `TranscriptError` if the file cannot be written; `ExtensionHostError` as `DaemonControl.record`.
    public static func start(
        to path: String, contents: Bool, of address: DaemonAddress = .standard
    ) async throws -> TranscriptRecorder {
        let control = try await DaemonControl.connect(name: "recorder", to: address)
        let sink = Sink()
        try await control.record(
            contents: contents, onBegin: { sink.begin(path, $0) }, onEntries: { sink.take($0) },
            onEnd: { _ in sink.end() })
        let recorder = TranscriptRecorder(control, sink)
        try recorder.throwFailure()
        return recorder
    }

    /// The number of entries that were recorded, and of those that this recorder was too slow for.
    public var figures: (recorded: Int, missing: Int) { sink.state.withLock { ($0.count, $0.missing) } }

    /// Ends the recording: everything that happened before is in the file. After the daemon's end it has already ended.
    ///
    /// - Throws: `TranscriptError` if the file could not be written.
    public func stop() async throws {
        try? await control.endRecording()
        sink.end()
        try throwFailure()
    }

    /// Waits until the daemon or the connection to it ends, and with it the recording. Throws as `stop`.
    public func waitForEnd() async throws {
        await withCheckedContinuation { continuation in
            let hasEnded = sink.state.withLock { state in
                if !state.hasEnded { state.waiting.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
        try throwFailure()
    }

    private func throwFailure() throws {
        if let failure = sink.state.withLock({ $0.failure }) { throw failure }
    }
}

extension TestDaemon {
    /// Records this daemon's session into a file, as `exthostctl record` does. Earlier events are not in it.
    ///
    /// - Parameters:
    ///   - path: the file; created anew, readable by this user only.
    ///   - contents: whether to record the contents of items, values and files. A recording without them cannot be
    ///     replayed.
    /// - Throws: as `TranscriptRecorder.start`.
    public func record(to path: String, contents: Bool = false) async throws -> TranscriptRecorder {
        try await TranscriptRecorder.start(to: path, contents: contents, of: address)
    }
}
