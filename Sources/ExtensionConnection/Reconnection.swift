// Reconnection: the way in which a client reconnects when its connection is lost.

public import ExtensionWire
public import LinuxDescriptors

/// The reconnection of a `Channel` whose connection was lost and not closed: the channel connects again and resumes the
/// session.
///
/// No packet is lost and none arrives twice: both sides stored what the other had not dealt with. If the daemon has
/// forgotten the session, or is another one, everything open has ended.
public struct Reconnection: Sendable {
    /// Connects to the daemon that gave this welcome. Called on the reader thread; may wait.
    public var connect: @Sendable (Welcome) throws(ExtensionHostError) -> Socket
    /// The time limit for retrying a daemon that does not answer. It is tried at least once.
    public var patience: Duration
    /// Whether that holds only for a daemon that has a successor resume its sessions: no other can answer the open
    /// requests.
    package var waitsForSuccessorOnly = false
    /// The time limit for retrying a daemon that accepts connections and drops them: as long as the daemon stores the
    /// session.
    package var lossPatience = Duration.seconds(5)

    public init(patience: Duration, connect: @escaping @Sendable (Welcome) throws(ExtensionHostError) -> Socket) {
        self.patience = patience
        self.connect = connect
    }
}
