// AppFollower: a tool for which an app runs: it gets what the app prints and its end, and the app goes with it.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry

/// One of a connection, whose terminal the app's standard output is. A reader that is slow holds the app back, as at the end of a pipe.
@HostActor
final class AppFollower: ProcessFollower {
    private let peer: Peer
    private(set) weak var process: ExtensionProcess?
    /// Packets of output on the way before what follows waits in the app's pipe.
    private static let ahead = 64
    private var isHeldBack = false
    /// Whether the tool has gone: then nothing is launched for it.
    private(set) var isGone = false
    private let onEnd: @HostActor () -> Void

    /// - Parameter onEnd: called when the app has ended.
    init(_ peer: Peer, onEnd: @escaping @HostActor () -> Void) {
        self.peer = peer
        self.onEnd = onEnd
    }

    /// From its start on.
    func follow(_ process: ExtensionProcess) {
        guard !isGone else { return process.close() }
        self.process = process
        process.follower = self
    }

    func show(_ bytes: [UInt8], _ stream: ProcessOutput.Stream) {
        guard let process else { return }
        peer.send(
            Output(extensionIdentifier: process.bundle.identifier, pid: process.pid, stream: stream.rawValue, bytes: bytes))
        setHeldBack(peer.queuedPackets >= Self.ahead)
    }

    func tell(_ end: Exited) {
        process = nil
        peer.send(end)
        onEnd()
    }

    /// Everything that was sent has left.
    func drained() { setHeldBack(false) }

    /// The tool has gone, or has heard that the opening failed: the app goes with it.
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
