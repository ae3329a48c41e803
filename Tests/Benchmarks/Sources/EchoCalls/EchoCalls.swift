// EchoCalls: the calls between RequestBench and the echo extension.

import ExtensionPointKit

/// Makes the extension time calls of its host, and loads of its attachment, in turn.
public struct TimeCalls: PointMessage {
    public static let name = "bench.time"
    /// Microseconds.
    public struct Reply: Codable, Sendable {
        public var calls: [Double] = []
        public var loads: [Double] = []
        public init() {}
    }
    public var rounds: Int
    public init(rounds: Int) { self.rounds = rounds }
}

/// Returns bytes of the host's.
public struct FetchBytes: PointMessage {
    public static let name = "bench.fetch"
    public struct Reply: Codable, Sendable {
        public var bytes: [UInt8]
        public init(bytes: [UInt8]) { self.bytes = bytes }
    }
    public init() {}
}
