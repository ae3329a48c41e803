// ProcessOutput: what an extension prints: read so that it never waits, kept in part, counted in the log.

import EventLoop
import Glibc
import LinuxSystem

/// The reading ends of an extension's standard output and error.
@HostActor
final class ProcessOutput {
    enum Stream: String, Sendable { case stdout, stderr }

    /// Bytes of standard error kept for the death certificate.
    private static let tailLimit = 64 * 1024
    /// Bytes read before the loop looks at others, who wait while their lines are told apart, at the most and at the least. A turn is an
    /// event of the log: smaller ones would push out the others.
    private static let turnLimits = 4 * 1024...16 * 1024
    /// How long a turn may take. What takes longer is followed by a turn half as large: lines cost, and bytes hardly do.
    private static let longestTurn = Duration.microseconds(200)
    /// Bytes read once a request is over: as many as a pipe holds that nobody has made larger.
    private static let drainLimit = 64 * 1024

    /// Of all of them: what is read is passed on before the next is.
    private static var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    var onChunk: (@HostActor (Stream, [UInt8]) -> Void)?
    /// Asked when something has come: whether it is left until `takeInput`.
    var leavesInput: (@HostActor () -> Bool)?

    private let descriptors: [Stream: SharedDescriptor]
    private var sources: [Stream: IOSource] = [:]

    /// Takes over the reading ends, which must not block.
    init(output: SharedDescriptor, error: SharedDescriptor, share: TurnShare) throws(LoopError) {
        descriptors = [.stdout: output, .stderr: error]
        for (stream, descriptor) in descriptors {
            sources[stream] = try EventLoop.shared.watch(descriptor: descriptor.raw, for: .readable, share: share) {
                [weak self] _ in
                guard let self else { return }
                // Left alone it would wake the loop again and again.
                guard leavesInput?() != true else {
                    sources[stream]?.isEnabled = false
                    return
                }
                readInTurn(stream)
            }
        }
    }

    // Before the descriptors are closed: a store may have them still.
    isolated deinit { for source in sources.values { source.cancel() } }

    /// Whether what comes is read; what is drained is read in any case.
    var isReading = true {
        didSet { for source in sources.values { source.isEnabled = isReading } }
    }

    /// The end of standard error.
    private(set) var errorTail: [UInt8] = []

    /// Reads what is there now, though the writer be gone; one that writes on does not keep the loop here.
    ///
    /// - Parameter toTheEnd: whether the end is looked for, too, which costs a call even where nothing has come.
    func drain(toTheEnd: Bool = false) {
        for stream in [Stream.stdout, .stderr] {
            var waiting: Int32 = 0
            guard let descriptor = descriptors[stream], ioctl(descriptor.raw, UInt(FIONREAD), &waiting) == 0 else { continue }
            let most = toTheEnd ? max(1, Int(waiting)) : min(Int(waiting), Self.drainLimit)
            if most > 0 { read(stream, atMost: most) }
        }
    }

    /// Reads what is there, unless it is to wait; what comes afterwards is announced again.
    ///
    /// - Returns: whether there was something.
    func takeInput() -> Bool {
        guard isReading else { return false }
        let before = count
        drain(toTheEnd: true)
        for source in sources.values { source.isEnabled = true }
        return count != before
    }

    /// Bytes read so far.
    private var count = 0
    /// Bytes that the next turn reads.
    private var turnSize = ProcessOutput.turnLimits.upperBound

    private func readInTurn(_ stream: Stream) {
        let start = ContinuousClock.now
        read(stream, atMost: turnSize)
        let took = ContinuousClock.now - start
        if took > Self.longestTurn {
            turnSize = max(turnSize / 2, Self.turnLimits.lowerBound)
        } else if took < Self.longestTurn / 4 {
            turnSize = min(turnSize * 2, Self.turnLimits.upperBound)
        }
    }

    private func read(_ stream: Stream, atMost limit: Int) {
        guard let descriptor = descriptors[stream], sources[stream] != nil else { return }
        var total = 0
        defer { self.count += total }
        while total < limit {
            let count = Self.buffer.withUnsafeMutableBytes {
                Glibc.read(descriptor.raw, $0.baseAddress, min($0.count, limit - total))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                sources[stream]?.cancel()
                sources[stream] = nil
                return
            }
            total += count
            let bytes = Array(Self.buffer[..<count])
            if stream == .stderr { keep(bytes) }
            onChunk?(stream, bytes)
        }
    }

    private func keep(_ bytes: [UInt8]) {
        errorTail += bytes
        if errorTail.count > Self.tailLimit { errorTail.removeFirst(errorTail.count - Self.tailLimit) }
    }
}
