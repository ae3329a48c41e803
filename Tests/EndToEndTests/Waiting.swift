// Output and OneSignal: what tests collect and wait for.

import Foundation
import Synchronization

/// What an extension printed.
final class Output: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    @Sendable func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}

/// Something that happens once.
final class OneSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func fire() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
