// AppLink: an app's connection to the daemon that has launched it.

import Dispatch
import ExtensionConnection
import ExtensionWire
import Glibc
import LinuxDescriptors

/// What the daemon wants of the app, on the main queue; nil of an app that somebody else has started.
final class AppLink: Sendable {
    private let channel: Channel

    private init(_ channel: Channel) { self.channel = channel }

    /// Says hello on the descriptor of `EXTHOST_APP_FD`, which children do not get. What cannot be understood is said
    /// on standard error, and
    /// the app runs as if it had been started by hand.
    static func open() -> AppLink? {
        guard let text = getenv("EXTHOST_APP_FD").map({ String(cString: $0) }), let number = Int32(text) else {
            return nil
        }
        ProcessRole.becomeApp()
        unsetenv("EXTHOST_APP_FD")
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        do {
            let (channel, _) = try Channel.open(
                socket: Socket(OwnedDescriptor(owning: number)),
                hello: Hello(role: .app, sdk: "swift/\(ProtocolVersion.current)")
            )
            return AppLink(channel)
        } catch {
            StandardStreams.writeError("exthost: the daemon that launched this app is not understood: \(error)\n")
            return nil
        }
    }

    /// Calls `activate` for each wish of the daemon's, in order; its answer is an error where it cannot be met.
    func start(_ activate: @escaping @MainActor @Sendable (Activate) -> ExtensionHostError?) throws {
        try channel.start(
            onPacket: { [channel] packet in
                let serial = packet.serial
                switch packet.kind {
                case .activate:
                    guard let message = try? packet.message(Activate.self) else { return channel.close() }
                    DispatchQueue.main.async {
                        if let error = MainActor.assumeIsolated({ activate(message) }) {
                            try? channel.send(ErrorReply(error), replyTo: serial)
                        } else {
                            try? channel.send(Success(), replyTo: serial)
                        }
                    }
                case .fence: DispatchQueue.main.async { try? channel.send(FenceReply(), replyTo: serial) }
                default: channel.close()
                }
            },
            // The kernel ends the app with its daemon; without a connection nothing more is wanted of it.
            onClose: { _ in })
    }
}
