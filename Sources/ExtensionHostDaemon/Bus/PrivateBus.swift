// PrivateBus: a dbus-daemon of this daemon's own, which ends with it.

import EventLoop
import Glibc
import LinuxSystem

/// A session bus that is known to this daemon only.
@HostActor
final class PrivateBus {
    private static let program = "/usr/bin/dbus-daemon"

    private let process: SpawnedProcess
    private let reading: SharedDescriptor
    private var source: IOSource?
    private var text: [UInt8] = []
    private var onAddress: (@HostActor (String?) -> Void)?

    /// Starts the bus with the socket `bus.sock` in `folder`, which the caller removes.
    ///
    /// - Parameter onAddress: called once, with the address, or with nil if the bus did not start.
    init(folder: String, onAddress: @escaping @HostActor (String?) -> Void) throws {
        // The writing end is closed with this scope: if it stayed open, it would hide that the bus ended silently.
        let pipe = try Pipe()
        reading = pipe.reading
        var attributes = SpawnAttributes(
            executable: Self.program,
            arguments: [
                "--session", "--nofork", "--nopidfile", "--nosyslog", "--print-address=3",
                "--address=unix:path=\(folder)/bus.sock",
            ],
            environment: ["PATH=/usr/bin:/bin"])
        attributes.descriptors = [.init(parent: pipe.writing.raw, child: 3)]
        attributes.onDaemonExit = .terminate
        process = try spawn(attributes)
        self.onAddress = onAddress
        source = try EventLoop.shared.watch(descriptor: reading.raw, for: .readable) { [weak self] _ in self?.read() }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = buffer.withUnsafeMutableBytes { Glibc.read(reading.raw, $0.baseAddress, $0.count) }
        if count > 0 { text += buffer[..<count] }
        if let end = text.firstIndex(of: UInt8(ascii: "\n")) {
            return finish(String(decoding: text[..<end], as: UTF8.self))
        }
        if count == 0 || text.count > 4096 { finish(nil) }
    }

    private func finish(_ address: String?) {
        source = nil
        let action = onAddress
        onAddress = nil
        action?(address)
    }

    /// Kills the bus and everything it started.
    func stop() {
        source = nil
        _ = try? process.signalTree(SIGKILL)
    }
}
