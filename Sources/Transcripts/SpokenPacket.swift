// SpokenPacket: a recorded packet as it is sent again: bytes and descriptors.

public import ExtensionProtocol
import Glibc
public import LinuxSystem
import Locks
public import PropertyListCoding

/// The reason why a recorded packet cannot be sent again.
public struct SpokenPacketError: Error, Sendable, CustomStringConvertible {
    public let description: String
}

/// A connection to a daemon that sends recorded packets, with their recorded kind and body, under serials of its own.
///
/// `receive` reads the daemon's packets, and returns their credit at once. Safe to use from any thread, but only one
/// thread may receive.
public final class SpeakingConnection: Sendable {
    /// The state of sending. All packets are sent under its lock.
    private struct State {
        var serial: UInt32 = 0
        /// The credit that the daemon grants, and the packets that wait for it.
        var credit = Window(packets: 0, bytes: 0)
        var waiting: [Packet] = []
    }

    private struct Packet {
        let bytes: [UInt8]
        let descriptors: [SharedDescriptor]
        let counts: Bool
    }

    private let socket: SharedDescriptor
    private let state = Mutex(State())
    /// The folder in which files to pass on are created.
    private let folder: String

    /// - Parameters:
    ///  - socket: a connected socket; it is made blocking.
    ///  - folder: the folder in which files to pass on are created; each is removed once it is open.
    public init(socket: consuming Socket, folder: String) throws(SystemError) {
        try socket.setNonBlocking(false)
        self.socket = SharedDescriptor(socket.release())
        self.folder = folder
    }

    /// Ends the connection for both sides. A thread in `receive` returns.
    public func close() { shutdown(socket.raw, Int32(SHUT_RDWR)) }

    /// Sends `packet` as an answer to `replyTo`, 0 for none; returns its serial.
    @discardableResult
    public func say(_ packet: RecordedPacket, replyTo: UInt32 = 0) throws -> UInt32 {
        guard let kind = MessageKind.named(packet.kind) else {
            throw SpokenPacketError(description: "there is no message \(packet.kind)")
        }
        var body = packet.body
        var descriptors: [SharedDescriptor] = []
        var flags: PacketHeader.Flags = []
        if let payload = packet.payload {
            let bytes = try payload.encodeBinary()
            if packet.sealed != nil || bytes.count > PacketLimits.inlinePayload {
                descriptors.append(SharedDescriptor(try SealedMemory.make(bytes)))
                flags = .sealedPayload
            } else {
                body[Key.payload.rawValue] = .data(bytes)
            }
        }
        for (index, descriptor) in packet.descriptors.enumerated() {
            guard let contents = descriptor.contents else {
                throw SpokenPacketError(
                    description:
                        "the recording lacks the contents of descriptor \(index) of \(packet.kind) \(packet.serial)")
            }
            descriptors.append(try made(descriptor.kind, contents))
        }
        return try send(kind, flags, body, descriptors, replyTo: replyTo)
    }

    /// Sends a message of the protocol.
    @discardableResult
    public func say(_ message: some Message, replyTo: UInt32 = 0) throws -> UInt32 {
        try send(type(of: message).kind, [], message.dictionary, [], replyTo: replyTo)
    }

    private func send(
        _ kind: MessageKind, _ flags: PacketHeader.Flags, _ body: PropertyListDictionary,
        _ descriptors: [SharedDescriptor],
        replyTo: UInt32
    ) throws -> UInt32 {
        var bytes = [UInt8](repeating: 0, count: PacketHeader.size)
        try PropertyList.dictionary(body).encodeBinary(into: &bytes)
        let length = bytes.count - PacketHeader.size
        guard length <= PacketLimits.body else {
            throw SpokenPacketError(description: "\(kind) of \(length) bytes is larger than a packet")
        }
        return try state.withLock { state in
            state.serial = state.serial == .max ? 1 : state.serial + 1
            let header = PacketHeader(
                kind: kind.rawValue, flags: flags, bodyLength: UInt32(length), serial: state.serial, replyTo: replyTo)
            bytes.withUnsafeMutableBytes { header.write(to: $0) }
            state.waiting.append(Packet(bytes: bytes, descriptors: descriptors, counts: kind != .hello))
            try sendWaiting(&state)
            return state.serial
        }
    }

    /// Sends waiting packets as far as credit allows.
    private func sendWaiting(_ state: inout State) throws {
        let open = Socket(try socket.duplicate())
        while let next = state.waiting.first {
            let credit = state.credit
            if next.counts, credit.packets < 1 || credit.bytes < next.bytes.count { return }
            _ = try open.send(next.bytes, descriptors: next.descriptors, waiting: true)
            if next.counts {
                state.credit = Window(packets: credit.packets - 1, bytes: credit.bytes - next.bytes.count)
            }
            state.waiting.removeFirst()
        }
    }

    private func grant(_ window: Window) throws {
        try state.withLock { state in
            let credit = state.credit
            state.credit = Window(packets: credit.packets + window.packets, bytes: credit.bytes + window.bytes)
            try sendWaiting(&state)
        }
    }

    /// Returns credit ahead of the waiting packets: the daemon may need it to send what they wait for.
    private func pass(_ window: Window) throws {
        var bytes = [UInt8](repeating: 0, count: PacketHeader.size)
        try PropertyList.dictionary(Credit(window).dictionary).encodeBinary(into: &bytes)
        let header = PacketHeader(
            kind: MessageKind.credit.rawValue, bodyLength: UInt32(bytes.count - PacketHeader.size), serial: 0)
        bytes.withUnsafeMutableBytes { header.write(to: $0) }
        try state.withLock { _ in
            let open = Socket(try socket.duplicate())
            _ = try open.send(bytes, waiting: true)
        }
    }

    /// Returns a descriptor like the one that was passed: sealed memory, or a file that nobody else has.
    private func made(_ kind: RecordedDescriptor.Kind, _ contents: [UInt8]) throws -> SharedDescriptor {
        guard kind == .file else { return SharedDescriptor(try SealedMemory.make(contents)) }
        let path = "\(folder)/passed-\(RequestIdentifier())"
        let file = try createFile(path)
        defer { unlink(path) }
        var written = 0
        while written < contents.count {
            let count = contents.withUnsafeBytes {
                write(file.raw, $0.baseAddress! + written, contents.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError("write") }
            written += count
        }
        return SharedDescriptor(try openForReading(path))
    }

    /// Returns the daemon's next packet: its header and dictionary. Nil at the end.
    ///
    /// It blocks. Credit packets are handled and not returned.
    public func receive() throws -> (header: PacketHeader, body: PropertyListDictionary, payload: PropertyList?)? {
        var buffer = [UInt8](repeating: 0, count: PacketHeader.size + PacketLimits.body)
        while true {
            var entry = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, -1) < 0, errno != EINTR { throw SystemError("poll") }
            let open = Socket(try socket.duplicate())
            let received = try buffer.withUnsafeMutableBytes { try open.receive(into: $0) }
            guard case .packet(let count, let descriptors) = received else {
                if case .wouldBlock = received { continue }
                return nil
            }
            let header = try buffer.withUnsafeBytes {
                try PacketHeader(packet: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            guard
                case .dictionary(let body) = try PropertyList(
                    binary: Array(buffer[PacketHeader.size..<count]), limits: .packet)
            else {
                throw ProtocolError.notADictionary
            }
            if header.kind == MessageKind.credit.rawValue {
                try grant(try Credit(dictionary: body).window)
                continue
            }
            if header.kind == MessageKind.welcome.rawValue {
                try grant(try Welcome(dictionary: body).window)
            } else if header.serial != 0 {
                try pass(Window(packets: 1, bytes: count))
            }
            var payload = body[Key.payload.rawValue]?.data
            if header.flags.contains(.sealedPayload), let memory = descriptors.first {
                payload = try SealedMemory.map(memory.raw, maximumSize: PacketLimits.sealedPayload).withUnsafeBytes {
                    [UInt8]($0)
                }
            }
            return (header, body, try payload.map { try PropertyList(binary: $0, limits: .payload) })
        }
    }
}

extension MessageKind {
    /// Returns the kind by the name that recordings use.
    public static func named(_ name: String) -> MessageKind? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })
}
