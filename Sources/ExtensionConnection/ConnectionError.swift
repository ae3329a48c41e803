// ConnectionError: the reasons why a connection ends, or a packet could not be made.

public import ExtensionWire
public import LinuxDescriptors

/// A failure of a connection. After any of these but `local` and `queueFull` the connection cannot be used again.
public enum ConnectionError: Error, Sendable {
    /// The peer closed its end.
    case closed
    case violation(ProtocolError)
    case system(SystemError)
    /// More packets wait than the bound allows: the peer does not read.
    case queueFull(packets: Int)
    /// The peer said why it ends the connection.
    case lastWords(ExtensionHostError)
    /// The message cannot be sent.
    case local(String)
}

extension ConnectionError {
    /// Whether only the socket is gone: neither peer has ended the session.
    public var isLossOfSocket: Bool {
        switch self {
        case .closed, .system: true
        case .violation, .queueFull, .lastWords, .local: false
        }
    }
}

extension ConnectionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed: "the peer closed the connection"
        case .violation(let error): "protocol violation: \(error)"
        case .system(let error): "\(error)"
        case .queueFull(let packets): "the peer does not read: \(packets) packets wait for it"
        case .lastWords(let error): "\(error)"
        case .local(let why): why
        }
    }
}
