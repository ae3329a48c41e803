// ProcessChannel: the connection of a process to the daemon that launched it.

import ExtensionWire
import Glibc
import Locks

/// The process's one connection to its daemon, for code that does not know the session. Safe to use from any thread.
package enum ProcessChannel {
    /// A use of the connection. It returns what is to be done without the lock, such as a call of the author's code.
    package typealias Use = @Sendable (Channel) -> (@Sendable () -> Void)?

    /// The receiver of packets that belong to no request, for code that the session does not know.
    package struct Receiver: Sendable {
        /// Takes a packet, on the reader thread; false if the packet is not for it.
        package let take: @Sendable (Packet) throws -> Bool
        /// The handler of a resumption by another daemon, on the reader thread.
        package let restarted: @Sendable () -> Void

        package init(
            take: @escaping @Sendable (Packet) throws -> Bool, restarted: @escaping @Sendable () -> Void
        ) {
            (self.take, self.restarted) = (take, restarted)
        }
    }

    private static let receiver = Mutex<Receiver?>(nil)

    /// Sets the receiver.
    package static func deliver(to receiver: Receiver) { Self.receiver.withLock { $0 = receiver } }

    /// Offers a packet to the receiver; false if there is none, or the packet is not for it.
    package static func take(_ packet: Packet) throws -> Bool {
        try receiver.withLock { $0 }?.take(packet) ?? false
    }

    /// Reports to the receiver that another daemon has resumed the session.
    package static func restarted() { receiver.withLock { $0 }?.restarted() }

    /// Whether this process is an app that its user has opened, also if it was launched in the background before.
    package static var isOpened: Bool { opened.withLock { $0 } }
    private static let opened = Mutex(false)

    /// Records that the user of this app has opened it.
    package static func appIsOpened() { opened.withLock { $0 = true } }

    private struct State {
        var channel: Channel?
        /// The uses that wait for the connection.
        var waiting: [Use] = []
    }

    private static let state = Mutex(State())
    private static let waitingLimit = 64

    /// Names the connection, once it is open. The kit calls it once.
    package static func connect(_ channel: Channel) {
        // Later uses wait for the lock, so the order stays.
        let rest = state.withLock { state in
            state.channel = channel
            defer { state.waiting = [] }
            return state.waiting.compactMap { $0(channel) }
        }
        for body in rest { body() }
    }

    /// Uses the connection now, or as soon as it is open. Uses run in the order of these invocations.
    ///
    /// - Returns: false if no daemon launched this process, or if 64 uses wait already. `body` is then not called.
    package static func use(_ body: @escaping Use) -> Bool {
        let (isUsed, rest) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            // The lock is held meanwhile, so that the order stays.
            if let channel = state.channel { return (true, body(channel)) }
            guard isLaunched, state.waiting.count < waitingLimit else { return (false, nil) }
            state.waiting.append(body)
            return (true, nil)
        }
        rest?()
        return isUsed
    }

    /// Whether a daemon launched this process.
    private static var isLaunched: Bool { getenv("EXTHOST_APP_FD") != nil || getenv("EXTHOST_EXTENSION_FD") != nil }
}
