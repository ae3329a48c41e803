// WAVFormat: the samples of a WAV file.

/// A format of samples, as a WAV file has it.
public struct WAVFormat: Sendable, Hashable {
    public enum Encoding: String, Sendable, Hashable, CaseIterable {
        case int16, int24, int32, float32

        /// The bytes of one sample.
        public var size: Int {
            switch self {
            case .int16: 2
            case .int24: 3
            case .int32, .float32: 4
            }
        }
    }

    public static let channelRange = 1...8
    /// The rates that a file may have, in hertz.
    public static let rateRange = 1...1_000_000

    public var encoding: Encoding
    public var channels: Int
    public var rate: Int

    public init(_ encoding: Encoding, channels: Int, rate: Int) {
        (self.encoding, self.channels, self.rate) = (encoding, channels, rate)
    }

    /// The bytes of one sample of each channel.
    var frameSize: Int { encoding.size * channels }
}
