// ProcessOutput: the reader of an extension's output, which never makes the extension wait, stores a part and counts it
// in the log.

import EventLoop
import Glibc
import LinuxSystem

/// The reading ends of an extension's standard output and error.
@HostActor
final class ProcessOutput {
    enum Stream: String, Sendable { case stdout, stderr }

    /// The bytes of standard error that the death certificate holds.
    private static let tailLimit = 64 * 1024
    /// The least and the most bytes that a turn reads before the loop serves others, which wait while the bytes are
    /// split into lines.
    ///
    /// A turn is an event of the log: smaller turns would push out other events.
    private static let turnLimits = 4 * 1024...16 * 1024
    /// The longest time that a turn may take. A turn that takes longer is followed by one half as large: lines cost
    /// time, and bytes hardly do.
    private static let longestTurn = Duration.microseconds(200)
    /// The bytes read once a request is over: the capacity of a pipe that no process has enlarged.
    private static let drainLimit = 64 * 1024

    /// The buffer of all processes: what is read is passed on before the next read.
    private static var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    var onChunk: (@HostActor (Stream, [UInt8]) -> Void)?
    /// Returns, when input has arrived, whether it is left until `takeInput`.
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
                // An enabled source would wake the loop again and again.
                guard leavesInput?() != true else {
                    sources[stream]?.isEnabled = false
                    return
                }
                readInTurn(stream)
            }
        }
    }

    // The sources end before the descriptors are closed, because a store may still have these.
    isolated deinit { for source in sources.values { source.cancel() } }

    /// Whether new output is read. `drain` reads in any case.
    var isReading = true {
        didSet { for source in sources.values { source.isEnabled = isReading } }
    }

    /// The end of standard error.
    private(set) var errorTail: [UInt8] = []

    /// Reads the output that has arrived, even if the writer is gone. A process that continues to write does not block
    /// the loop.
    ///
    /// - Parameter toTheEnd: whether to look for the end, too, which costs a call even where nothing has come.
    func drain(toTheEnd: Bool = false) {
        for stream in [Stream.stdout, .stderr] {
            var waiting: Int32 = 0
            guard let descriptor = descriptors[stream], ioctl(descriptor.raw, UInt(FIONREAD), &waiting) == 0 else {
                continue
            }
            let most = toTheEnd ? max(1, Int(waiting)) : min(Int(waiting), Self.drainLimit)
            if most > 0 { read(stream, atMost: most) }
        }
    }

    /// Reads the output that has arrived, unless reading is off. The loop announces later output again.
    ///
    /// - Returns: whether there was any.
    func takeInput() -> Bool {
        guard isReading else { return false }
        let before = count
        drain(toTheEnd: true)
        for source in sources.values { source.isEnabled = true }
        return count != before
    }

    /// The bytes read so far.
    private var count = 0
    /// The bytes that the next turn reads.
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
