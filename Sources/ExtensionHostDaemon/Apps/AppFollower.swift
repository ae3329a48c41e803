// AppFollower: a tool that opened an app: it gets the app's output and exit, and the app ends with it.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry

/// A connection whose terminal gets the app's standard output.
///
/// A slow reader blocks the app, as at the end of a pipe.
@HostActor
final class AppFollower: ProcessFollower {
    private let peer: Peer
    private(set) weak var process: ExtensionProcess?
    /// The number of queued output packets from which on further output waits in the app's pipe.
    private static let ahead = 64
    private var isHeldBack = false
    /// Whether the tool has disconnected: then nothing is launched for it.
    private(set) var isGone = false
    private let onEnd: @HostActor () -> Void

    /// - Parameter onEnd: called when the app has ended.
    init(_ peer: Peer, onEnd: @escaping @HostActor () -> Void) {
        self.peer = peer
        self.onEnd = onEnd
    }

    /// Follows the app's process from its start on; closes the app if the tool has disconnected.
    func follow(_ process: ExtensionProcess) {
        guard !isGone else { return process.close() }
        self.process = process
        process.follower = self
    }

    func show(_ bytes: [UInt8], _ stream: ProcessOutput.Stream) {
        guard let process else { return }
        peer.send(
            Output(
                extensionIdentifier: process.bundle.identifier, pid: process.pid, stream: stream.rawValue, bytes: bytes)
        )
        setHeldBack(peer.queuedPackets >= Self.ahead)
    }

    func tell(_ end: Exited) {
        process = nil
        peer.send(end)
        onEnd()
    }

    /// Reads the app's output again, since everything queued for the tool has been sent.
    func drained() { setHeldBack(false) }

    /// Closes the app, because the tool has disconnected or has received the error of the opening.
    func leave() {
        isGone = true
        setHeldBack(false)
        process?.follower = nil
        process?.close()
    }

    private func setHeldBack(_ isHeldBack: Bool) {
        guard isHeldBack != self.isHeldBack else { return }
        self.isHeldBack = isHeldBack
        process?.setReading(!isHeldBack)
    }
}
