// Handshake: the version that two peers settle on, and the token that names a session.

import ExtensionProtocol

/// The steps of a handshake that every kind of peer shares.
enum Handshake {
    static func settle(_ hello: Hello) throws(ProtocolError) -> ProtocolVersion {
        guard hello.window.packets >= Window.smallest.packets, hello.window.bytes >= Window.smallest.bytes else {
            throw .badIdentity(
                "a window of \(hello.window.packets) packets and \(hello.window.bytes) bytes holds no packet")
        }
        guard hello.minimum <= hello.maximum,
            let version = ProtocolVersion.settle(.lowest ... .current, hello.minimum...hello.maximum)
        else {
            throw .versionMismatch(
                ours: "\(ProtocolVersion.lowest) to \(ProtocolVersion.current)",
                theirs: "\(hello.minimum) to \(hello.maximum)")
        }
        return version
    }

    /// Returns sixteen random bytes.
    static func token() -> [UInt8] {
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }
}
