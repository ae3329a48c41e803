// ExtensionOutput: something that an extension printed, on its way to the host that asked to see it.

import ExtensionProtocol

/// A piece of an extension's standard output or error, as it was written: not cut at lines.
public struct ExtensionOutput: Sendable, Hashable {
    /// Which of the two it was written to.
    public enum Stream: String, Sendable {
        /// Standard output.
        case stdout
        /// Standard error.
        case stderr
    }

    /// Whose process it is.
    public let extensionIdentifier: String
    /// The process's pid.
    public let processIdentifier: Int
    /// Where it was written.
    public let stream: Stream
    /// What was written; from a stranger, so make it printable before it goes to a terminal.
    public let bytes: [UInt8]

    init(_ message: Output) {
        extensionIdentifier = message.extensionIdentifier
        processIdentifier = message.pid
        stream = Stream(rawValue: message.stream) ?? .stdout
        bytes = message.bytes
    }
}
