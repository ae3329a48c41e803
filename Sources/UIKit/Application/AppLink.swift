// AppLink: an app's connection to the daemon that launched it.

import Dispatch
import ExtensionConnection
import ExtensionItems
import ExtensionWire
import Glibc
import LinuxDescriptors

/// A receiver of the daemon's activations of the app, on the main queue. An app that another program started has none.
final class AppLink: Sendable {
    private let channel: Channel

    private init(_ channel: Channel) { self.channel = channel }

    /// Sends hello on the descriptor of `EXTHOST_APP_FD`, which children do not inherit.
    ///
    /// An invalid descriptor is reported on standard error, and the app runs as if it had been started by hand.
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
            StandardStreams.writeError(
                "exthost: the answer of the daemon that launched this app is invalid: \(error)\n")
            return nil
        }
    }

    /// The answer to an activation: an error if it has failed. It may come later, from any thread.
    typealias Answer = @Sendable (ExtensionHostError?) -> Void

    /// Calls `activate` for each activation from the daemon, in order.
    func start(_ activate: @escaping @MainActor @Sendable (Activate, @escaping Answer) -> Void) throws {
        try channel.start(
            onPacket: { [channel] packet in
                let serial = packet.serial
                switch packet.kind {
                case .activate:
                    guard let message = try? packet.message(Activate.self) else { return channel.close() }
                    let answer: Answer = { error in
                        if let error {
                            try? channel.send(ErrorReply(error), replyTo: serial)
                        } else {
                            try? channel.send(Success(), replyTo: serial)
                        }
                    }
                    DispatchQueue.main.async { MainActor.assumeIsolated { activate(message, answer) } }
                case .fence:
                    Activity.process.whenQuiet {
                        DispatchQueue.main.async { try? channel.send(FenceReply(), replyTo: serial) }
                    }
                // What has crossed with the end of its connection is answered.
                case .call, .cancelCall, .callPart, .callExpires, .closeService:
                    do {
                        if try ProcessChannel.take(packet) { return }
                        guard packet.kind == .call || packet.kind == .callPart else { return }
                        let why = ExtensionHostError(.contextFinished, "the connection has ended")
                        try channel.send(ErrorReply(why), replyTo: serial)
                    } catch {
                        channel.close()
                    }
                default: channel.close()
                }
            },
            // The kernel ends the app with its daemon; without a connection no more activations come.
            onClose: { _ in })
        ProcessChannel.connect(channel)
    }
}
