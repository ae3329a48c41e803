// TunnelNetwork: a network of its own for programs, whose only way out is a tunnel.

internal import ExtensionHost
internal import Glibc
internal import LinuxDescriptors
internal import LinuxSystem
internal import Locks
public import PointMessages

/// A network namespace with a TUN device, on which the settings of a tunnel act. Programs in it reach the tunnel alone.
///
/// It ends with its last reference, and its programs with it. Nothing outside changes. Safe to use from any thread.
public final class TunnelNetwork: TunnelHost.Device, Sendable {
    private let namespace: NetworkNamespace
    private let device: SharedDescriptor
    /// The socket whose other end's closing ends the reader.
    private let stop: Mutex<SharedDescriptor?>
    private let refusals = Refusals()

    private final class Refusals: Sendable {
        let count = Mutex(0)
    }

    /// The packets that the reader takes at once.
    private static let batch = 64

    /// Makes the network, and sends the packets of its programs into a tunnel.
    ///
    /// - Throws: `ExtensionHostError` `helperMissing` if the program or the kernel cannot, with cause and remedy.
    public init() async throws {
        namespace = try await NetworkNamespace()
        device = try await namespace.makeDevice(mtu: 1_500).device
        stop = Mutex(nil)
    }

    /// The number of packets that the kernel has refused.
    public var refusedPackets: Int { refusals.count.withLock { $0 } }

    /// Connects the device with the packets of a host's tunnels.
    ///
    /// - Throws: `SystemError` if there are no descriptors or threads.
    public func connect(_ packets: TunnelPackets) throws {
        let flags = fcntl(device.raw, F_GETFL)
        guard flags >= 0, fcntl(device.raw, F_SETFL, flags | O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SystemError("socketpair")
        }
        let reader = SharedDescriptor(owning: ends[0])
        stop.withLock { $0 = SharedDescriptor(owning: ends[1]) }
        packets.onPackets { [device, refusals] batch in
            for packet in batch where write(device.raw, packet, packet.count) != packet.count {
                refusals.count.withLock { $0 += 1 }
            }
        }
        let device = device
        try startThread(named: "exthost-tun") { Self.read(device, reader, packets) }
    }

    deinit { stop.withLock { $0 = nil } }

    private static func read(_ device: SharedDescriptor, _ stop: SharedDescriptor, _ packets: TunnelPackets) {
        var buffer = [UInt8](repeating: 0, count: TunnelPacket.largest + 1)
        while true {
            var polled = [
                pollfd(fd: device.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.raw, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 2, -1) >= 0 || errno == EINTR else { return }
            if polled[1].revents != 0 { return }
            var found: [[UInt8]] = []
            while found.count < batch {
                let count = Glibc.read(device.raw, &buffer, buffer.count)
                if count > 0 {
                    found.append([UInt8](buffer[..<count]))
                } else {
                    if count < 0, errno == EINTR { continue }
                    // The device has gone with its namespace.
                    if count == 0 || errno != EAGAIN { return }
                    break
                }
            }
            if !found.isEmpty { packets.send(found) }
        }
    }

    /// Puts settings on the device; nil clears them.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` for settings that the kernel refuses.
    public func apply(_ settings: TunnelSettings?) async throws {
        guard let settings else { return try await namespace.apply([]) }
        var pairs: [(key: String, value: String)] = [("mtu", "\(settings.effectiveMTU)")]
        for (addresses, isIPv6) in [(settings.ipv4, false), (settings.ipv6, true)] {
            guard let addresses else { continue }
            func written(_ address: NetworkAddress) -> String {
                "\(address.address)/\(TunnelSettings.length(of: address, isIPv6: isIPv6) ?? 0)"
            }
            pairs += addresses.addresses.map { ("address", written($0)) }
            pairs += addresses.included.map { ("route", written($0)) }
            pairs += addresses.excluded.map { ("exclude", written($0)) }
        }
        pairs += (settings.names?.servers ?? []).map { ("nameserver", $0) }
        pairs += (settings.names?.searchDomains ?? []).map { ("search", $0) }
        try await namespace.apply(pairs)
    }

    /// Runs a program in the network, and waits for its end.
    ///
    /// - Parameters:
    ///   - arguments: the program, searched in the environment's PATH, and its arguments.
    ///   - environment: the environment, as `KEY=VALUE`.
    ///   - folder: the working directory.
    ///   - streams: its standard descriptors 0, 1 and 2.
    /// - Returns: its exit status; 128 and the number of the signal that has ended it.
    /// - Throws: `ExtensionHostError` `launchFailed` if it cannot be executed.
    public func run(
        _ arguments: [String], environment: [String], in folder: String, streams: [Int32] = [0, 1, 2]
    ) async throws -> Int32 {
        let program = try await namespace.run(arguments, environment: environment, in: folder, streams: streams)
        let status = await withTaskCancellationHandler {
            await program.status
        } onCancel: {
            Task { await program.signal(SIGTERM) }
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    /// Ends the network and its programs.
    public func close() async {
        stop.withLock { $0 = nil }
        await namespace.close()
    }
}
