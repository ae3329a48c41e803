// ConnectionError: why a connection cannot go on, or a packet could not be made.

public import ExtensionWire
public import LinuxDescriptors

/// After any of these but `local` and `queueFull` the connection is of no more use.
public enum ConnectionError: Error, Sendable {
    /// The peer closed its end.
    case closed
    case violation(ProtocolError)
    case system(SystemError)
    /// More waits to be sent than the bound allows: the peer does not read.
    case queueFull(packets: Int)
    /// The peer said why it ends the connection.
    case lastWords(ExtensionHostError)
    /// What was to be sent cannot be.
    case local(String)
}

extension ConnectionError {
    /// Whether only the socket is gone: nobody said or did anything that ends the session.
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
