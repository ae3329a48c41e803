// PacketHeader: the sixteen bytes in front of every packet's property list, and the credit for packets.

/// The limits of one packet on the wire; both sides rely on these numbers.
public enum PacketLimits {
    /// The size of the property list behind the header, in bytes.
    public static let body = 64 * 1024
    /// The number of descriptors beside a packet; one of them is the payload's, whether it travels sealed or not.
    public static let descriptors = 16
    /// A payload up to this many bytes travels inside the property list; a larger one in a sealed memfd.
    public static let inlinePayload = 32 * 1024
    /// The size of a sealed payload, in bytes.
    public static let sealedPayload = 64 * 1024 * 1024
}

/// The header of a packet. Little-endian, in this order: kind, flags, body length, serial, answered serial.
public struct PacketHeader: Sendable, Hashable {
    public static let size = 16

    public struct Flags: OptionSet, Sendable, Hashable {
        public let rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The first descriptor is a sealed memfd that holds the payload; there is no `payload` in the body then.
        public static let sealedPayload = Flags(rawValue: 1)
        static let known: Flags = [.sealedPayload]
    }

    public var kind: UInt16
    public var flags: Flags
    public var bodyLength: UInt32
    /// Counts the sender's packets on this connection from 1, without a gap.
    public var serial: UInt32
    /// The serial of the packet that this one answers; 0 when it answers none.
    public var replyTo: UInt32

    public init(kind: UInt16, flags: Flags = [], bodyLength: UInt32, serial: UInt32, replyTo: UInt32 = 0) {
        self.kind = kind
        self.flags = flags
        self.bodyLength = bodyLength
        self.serial = serial
        self.replyTo = replyTo
    }

    /// Reads and checks the header of a whole packet.
    public init(packet: UnsafeRawBufferPointer) throws(ProtocolError) {
        guard packet.count >= Self.size else { throw .truncated(bytes: packet.count) }
        func load<T: FixedWidthInteger>(_ offset: Int, as type: T.Type) -> T {
            T(littleEndian: packet.loadUnaligned(fromByteOffset: offset, as: T.self))
        }
        kind = load(0, as: UInt16.self)
        flags = Flags(rawValue: load(2, as: UInt16.self))
        bodyLength = load(4, as: UInt32.self)
        serial = load(8, as: UInt32.self)
        replyTo = load(12, as: UInt32.self)
        guard Flags.known.isSuperset(of: flags) else { throw .unknownFlags(flags.rawValue) }
        guard bodyLength <= PacketLimits.body else { throw .oversized(bytes: Int(bodyLength)) }
        guard Int(bodyLength) == packet.count - Self.size else {
            throw .lengthMismatch(header: Int(bodyLength), packet: packet.count - Self.size)
        }
    }

    /// Writes the header over the first sixteen bytes of `packet`.
    public func write(to packet: UnsafeMutableRawBufferPointer) {
        packet.storeBytes(of: kind.littleEndian, toByteOffset: 0, as: UInt16.self)
        packet.storeBytes(of: flags.rawValue.littleEndian, toByteOffset: 2, as: UInt16.self)
        packet.storeBytes(of: bodyLength.littleEndian, toByteOffset: 4, as: UInt32.self)
        packet.storeBytes(of: serial.littleEndian, toByteOffset: 8, as: UInt32.self)
        packet.storeBytes(of: replyTo.littleEndian, toByteOffset: 12, as: UInt32.self)
    }
}

extension Window {
    public static let standard = Window(packets: 64, bytes: 512 * 1024)
    /// A window below this could not hold one packet.
    public static let smallest = Window(packets: 2, bytes: 2 * (PacketHeader.size + PacketLimits.body))
}
