// Reconnection: how a client comes back when its connection is lost for a moment.

public import ExtensionWire
public import LinuxDescriptors

/// What a `Channel` does when its connection goes while nobody closed it: it connects again and goes on with the session.
///
/// Nothing is lost and nothing comes twice: both sides kept what the other had not dealt with. Where the daemon has forgotten the
/// session, or is another one, what was open has ended.
public struct Reconnection: Sendable {
    /// Connects to the daemon that gave this welcome. Called on the reader thread; may wait.
    public var connect: @Sendable (Welcome) throws(ExtensionHostError) -> Socket
    /// How long a daemon that does not answer is tried again. It is tried once in any case.
    public var patience: Duration
    /// Whether that holds only for a daemon that lets its successor go on: no other can answer what was open.
    package var waitsForSuccessorOnly = false
    /// How long one is tried that is there and does not keep the connection: as long as it keeps the session.
    package var lossPatience = Duration.seconds(5)

    public init(patience: Duration, connect: @escaping @Sendable (Welcome) throws(ExtensionHostError) -> Socket) {
        self.patience = patience
        self.connect = connect
    }
}
