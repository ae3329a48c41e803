// ExtensionOutput: a piece of an extension's output for the host that asked for it.

import ExtensionProtocol

/// A piece of an extension's standard output or error, as it was written: not cut at lines.
public struct ExtensionOutput: Sendable, Hashable {
    /// The stream that the output was written to.
    public enum Stream: String, Sendable {
        /// Standard output.
        case stdout
        /// Standard error.
        case stderr
    }

    /// The identifier of the extension.
    public let extensionIdentifier: String
    /// The process's pid.
    public let processIdentifier: Int
    /// The stream that the bytes were written to.
    public let stream: Stream
    /// The output; it comes from a stranger, so make it printable before it goes to a terminal.
    public let bytes: [UInt8]

    init(_ message: Output) {
        extensionIdentifier = message.extensionIdentifier
        processIdentifier = message.pid
        stream = Stream(rawValue: message.stream) ?? .stdout
        bytes = message.bytes
    }
}
