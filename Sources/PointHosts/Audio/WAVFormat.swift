// WAVFormat: the samples of a WAV file.

/// A format of samples, as a WAV file has it.
public struct WAVFormat: Sendable, Hashable {
    /// The encoding of a sample.
    public enum Encoding: String, Sendable, Hashable, CaseIterable {
        /// An integer of 16 bits.
        case int16
        /// An integer of 24 bits.
        case int24
        /// An integer of 32 bits.
        case int32
        /// A floating-point number of 32 bits.
        case float32

        /// The bytes of one sample.
        public var size: Int {
            switch self {
            case .int16: 2
            case .int24: 3
            case .int32, .float32: 4
            }
        }
    }

    /// The numbers of channels that a file may have.
    public static let channelRange = 1...8
    /// The rates that a file may have, in hertz.
    public static let rateRange = 1...1_000_000

    /// The encoding.
    public var encoding: Encoding
    /// The number of channels.
    public var channels: Int
    /// The rate, in frames a second.
    public var rate: Int

    /// A format of these values.
    public init(_ encoding: Encoding, channels: Int, rate: Int) {
        (self.encoding, self.channels, self.rate) = (encoding, channels, rate)
    }

    /// The bytes of one sample of each channel.
    var frameSize: Int { encoding.size * channels }
}
