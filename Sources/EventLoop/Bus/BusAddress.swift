// BusAddress: the message bus to connect to; BusError: an error as it travels on a bus.

/// The message bus to connect to.
public enum BusAddress: Sendable, Hashable, CustomStringConvertible {
    /// The user's bus: `$DBUS_SESSION_BUS_ADDRESS`, else `$XDG_RUNTIME_DIR/bus`.
    case session
    case system
    /// A D-Bus address such as `unix:path=/run/…`.
    case address(String)
    /// No bus, but one program at this address, such as systemd's own socket.
    case peer(String)
    /// No bus: everything is accepted, nothing is sent.
    case none

    public var description: String {
        switch self {
        case .session: "session bus"
        case .system: "system bus"
        case .address(let address): "message bus at \(address)"
        case .peer(let address): "peer at \(address)"
        case .none: "message bus"
        }
    }
}

/// An error with the name and the text that a caller on the bus sees.
public struct BusError: Error, Sendable, Hashable {
    /// A D-Bus error name, e.g. `org.exthost.ExtensionHost1.Error.NoSuchHost`.
    public let name: String
    public let message: String

    public init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    /// The well-known error for callers without the right to what they asked for.
    public static func accessDenied(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: message)
    }

    public static func invalidArguments(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
    }

    static func failed(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.Failed", message: message)
    }
}
