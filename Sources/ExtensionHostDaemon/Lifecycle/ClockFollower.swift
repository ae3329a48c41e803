// ClockFollower: the daemon's time as an extension follows it, and the extension's sleeps.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

/// The link between one process and the daemon's clock.
///
/// The sleeps of the process are deadlines of that clock, so a virtual clock advances to them.
@HostActor
final class ClockFollower {
    /// The number of sleeps that may be open at a time.
    private static let limit = 1024

    private unowned let process: ExtensionProcess
    private var isFollowing = false
    private var told: UInt64?
    private var sleeps: [Int: Deadline] = [:]

    init(of process: ExtensionProcess) { self.process = process }

    func follow() { isFollowing = true }

    /// Sends `clockMoved` right before a packet to the process, so that the process never acts on the packet by an old
    /// time.
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

    /// Cancels a sleep.
    ///
    /// Nothing happens if the sleep is over: its reply and this message have crossed.
    func cancel(_ message: CancelSleep) { sleeps[message.number] = nil }

    func end() { sleeps = [:] }
}
