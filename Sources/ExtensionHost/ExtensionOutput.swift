// ExtensionOutput: something that an extension printed, on its way to the host that asked to see it.

import ExtensionProtocol

/// A piece of an extension's standard output or error, as it was written: not cut at lines.
public struct ExtensionOutput: Sendable, Hashable {
    public enum Stream: String, Sendable { case stdout, stderr }

    public let extensionIdentifier: String
    public let processIdentifier: Int
    public let stream: Stream
    public let bytes: [UInt8]

    init(_ message: Output) {
        extensionIdentifier = message.extensionIdentifier
        processIdentifier = message.pid
        stream = Stream(rawValue: message.stream) ?? .stdout
        bytes = message.bytes
    }
}
