// ClockFollower: an extension that has the daemon's time: what it is told of it, and its sleeps.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

/// One of each process. Its sleeps are deadlines of the daemon's clock, so that a virtual one moves to them.
@HostActor
final class ClockFollower {
    /// Sleeps that may be open at a time.
    private static let limit = 1024

    /// Which it is part of.
    private unowned let process: ExtensionProcess
    private var isFollowing = false
    private var told: UInt64?
    private var sleeps: [Int: Deadline] = [:]

    init(of process: ExtensionProcess) { self.process = process }

    func follow() { isFollowing = true }

    /// Right before a packet to the process: it shall not act on it by an old time.
    func tellTime() {
        let now = process.context.clock.now
        guard isFollowing, told != now else { return }
        told = now
        process.peer?.sendAtOnce(ClockMoved(time: Int(clamping: now)))
    }

    func sleep(_ packet: Packet) throws(ProtocolError) {
        let message: Sleep = try packet.message()
        guard sleeps[message.number] == nil else {
            throw .unexpected(kind: "sleep", state: "with the number of a sleep that is open")
        }
        guard sleeps.count < Self.limit else {
            process.peer?.reply(
                packet,
                ExtensionHostError(
                    .quotaExceeded, "\(Self.limit) sleeps of this process are open, which is the limit",
                    remedy: "Wait for some of them"))
            return
        }
        let clock = process.context.clock
        let (time, now) = (UInt64(clamping: message.time), clock.now)
        guard time > now else { return process.peer?.reply(packet, Success()) ?? () }
        sleeps[message.number] = clock.schedule(after: .nanoseconds(Int64(clamping: time - now))) { [weak self] in
            guard let self else { return }
            sleeps[message.number] = nil
            process.peer?.reply(packet, Success())
        }
    }

    /// One that is over has crossed with this.
    func cancel(_ message: CancelSleep) { sleeps[message.number] = nil }

    func end() { sleeps = [:] }
}
