// DaemonControl+Recording: the recording of a daemon's packets and events, entry by entry.

import ExtensionConnection
public import ExtensionProtocol
import Glibc
import LinuxSystem
import Locks
import PropertyListCoding

extension DaemonControl {
    /// Records everything that happens in the daemon from now on until this connection ends, or `endRecording`.
    ///
    /// It records packets both ways, events and time limits. A connection has one recording at a time.
    ///
    /// The handlers are called on the connection's thread, in this order. They may block: a recorder that is too slow
    /// misses entries and gets a `gap` in their place, because the daemon does not wait.
    ///
    /// - Parameters:
    ///   - contents: whether to record the contents of payloads and descriptors, and not only their types and sizes.
    ///     For the daemon's own user, and of an ephemeral daemon.
    ///   - onBegin: called first, with the daemon's description of itself.
    ///   - onEntries: called with entries, in order.
    ///   - onEnd: called once, last, with the error that ended the connection; nil after `endRecording`.
    /// - Throws: `notPermitted`, `quotaExceeded`, `invalidArgument`; `versionMismatch` for an older daemon.
    public func record(
        contents: Bool, onBegin: @escaping @Sendable (Recording) -> Void = { _ in },
        onEntries: @escaping @Sendable ([TranscriptEntry]) -> Void,
        onEnd: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) async throws {
        let receiver = RecordingReceiver(onEntries: onEntries, onEnd: onEnd)
        let isFirst = recording.withLock { recording in
            guard recording == nil else { return false }
            recording = receiver
            return true
        }
        guard isFirst else {
            throw ExtensionHostError(
                .invalidArgument, "this connection already records", remedy: "Use another connection")
        }
        do {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                do throws(ExtensionHostError) {
                    // It is called on the connection's thread, so that it comes before the first entry.
                    try channel.request(Record(contents: contents)) { answer in
                        continuation.resume(with: Result { onBegin(try answer.get().message(Recording.self)) })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } catch {
            recording.withLock { $0 = nil }
            throw error
        }
    }

    /// Ends the recording of this connection. When this returns, all entries of earlier events have been delivered.
    public func endRecording() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do throws(ExtensionHostError) {
                try channel.request(EndRecording()) { [weak self] answer in
                    let receiver = self?.recording.withLock { $0.take() }
                    if case .success = answer { receiver?.onEnd(nil) }
                    continuation.resume(with: answer.map { _ in () }.mapError { $0 as any Error })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}

/// A receiver of a recording's entries, on the connection's thread.
final class RecordingReceiver: Sendable {
    private let onEntries: @Sendable ([TranscriptEntry]) -> Void
    let onEnd: @Sendable ((any Error)?) -> Void

    /// The limit of recorded bytes of a descriptor; of a larger one only the size is recorded.
    static let largestDescriptor = 4 << 20

    init(onEntries: @escaping @Sendable ([TranscriptEntry]) -> Void, onEnd: @escaping @Sendable ((any Error)?) -> Void)
    {
        self.onEntries = onEntries
        self.onEnd = onEnd
    }

    /// Handles a packet; returns false if it cannot be read.
    func receive(_ packet: Packet) -> Bool {
        guard let entries = try? Self.entries(of: packet) else { return false }
        onEntries(entries)
        return true
    }

    private static func entries(of packet: Packet) throws -> [TranscriptEntry] {
        let count = try packet.message(Recorded.self).count
        let list = try PropertyList(binary: try packet.payload.bytes() ?? [], limits: .payload)
        guard let parts = list.array, parts.count == count else {
            throw ProtocolError.wrongType(key: "count", kind: "recorded")
        }
        return try parts.map { part in
            guard let bytes = part.data, let dictionary = try PropertyList(binary: bytes, limits: .payload).dictionary
            else {
                throw ProtocolError.wrongType(key: "payload", kind: "recorded")
            }
            var entry = try TranscriptEntry(Fields(dictionary, of: .named("entry")))
            if case .packet(let recorded) = entry.content {
                entry.content = .packet(resolved(recorded, packet.descriptors))
            }
            return entry
        }
    }

    /// Returns the packet with the contents of its descriptors in place of their numbers.
    private static func resolved(_ packet: RecordedPacket, _ beside: [SharedDescriptor]) -> RecordedPacket {
        var packet = packet
        if let index = packet.index, beside.indices.contains(index),
            let bytes = try? Payload.sealed(beside[index]).bytes()
        {
            packet.payload = .data(bytes)
        }
        packet.index = nil
        // A payload is a property list itself; other bytes are unchanged.
        if let bytes = packet.payload?.data, let value = try? PropertyList(binary: bytes, limits: .payload) {
            packet.payload = value
        }
        for place in packet.descriptors.indices {
            if let index = packet.descriptors[place].index, beside.indices.contains(index) {
                packet.descriptors[place].contents = contents(of: beside[index].raw)
            }
            packet.descriptors[place].index = nil
        }
        return packet
    }

    /// Reads a descriptor from its first byte, whatever its offset: its holders share the offset.
    private static func contents(of raw: Int32) -> [UInt8]? {
        guard let size = try? FileStatus(of: raw).size, size <= largestDescriptor else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        var done = 0
        while done < size {
            let count = bytes.withUnsafeMutableBytes { pread(raw, $0.baseAddress! + done, size - done, off_t(done)) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            done += count
        }
        bytes.removeLast(size - done)
        return bytes
    }
}
