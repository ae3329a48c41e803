// Packet and Payload: the content of one received packet, and the payload of received and sent packets.

public import ExtensionWire
public import LinuxDescriptors
public import PropertyListCoding

/// The part of a packet that the daemon passes on unopened.
public enum Payload: Sendable {
    case none
    /// The bytes inside the packet's property list; at most `PacketLimits.inlinePayload` bytes.
    case inline([UInt8])
    /// A sealed memfd; its reader checks its seals and size first.
    case sealed(SharedDescriptor)

    /// Makes the smaller kind that fits: inline, or a new sealed memfd.
    public init(_ bytes: [UInt8]) throws(ConnectionError) {
        guard bytes.count > PacketLimits.inlinePayload else {
            self = .inline(bytes)
            return
        }
        guard bytes.count <= PacketLimits.sealedPayload else {
            throw .local("a payload of \(bytes.count) bytes is over the limit of \(PacketLimits.sealedPayload)")
        }
        do {
            self = .sealed(SharedDescriptor(try SealedMemory.make(bytes)))
        } catch {
            throw .local("no memory file for a payload of \(bytes.count) bytes: \(error)")
        }
    }

    /// The bytes, after checking a sealed payload's seals and size; nil when there is none.
    public func bytes() throws(ProtocolError) -> [UInt8]? {
        switch self {
        case .none: return nil
        case .inline(let bytes): return bytes
        case .sealed(let descriptor):
            do {
                let memory = try SealedMemory.map(descriptor.raw, maximumSize: PacketLimits.sealedPayload)
                return memory.withUnsafeBytes { [UInt8]($0) }
            } catch {
                throw .badPayloadDescriptor("\(error)")
            }
        }
    }
}

/// A packet that has arrived and whose form has been checked; its fields are checked when a message is read from it.
public struct Packet: Sendable {
    public let kind: MessageKind
    public let serial: UInt32
    public let replyTo: UInt32
    public let dictionary: PropertyListDictionary
    public let payload: Payload
    /// The descriptors beside the payload, in order.
    public let descriptors: [SharedDescriptor]
    /// The credit that the packet cost its sender; `Connection.release` gives it back.
    public let cost: Window

    /// The reason why the daemon does not forward the packet's memory: the payload is no sealed memory, or the sender
    /// can still change a descriptor's memory.
    ///
    /// Not every receiver checks the seals.
    public var memoryProblem: SealedMemoryError? { memoryProblem(allowsShared: false) }

    /// The reason why the daemon does not forward the packet's memory, as `memoryProblem`.
    ///
    /// - Parameter allowsShared: whether the sender may go on writing a descriptor's memory, as long as it cannot
    ///   become smaller. A stream between two processes needs that.
    public func memoryProblem(allowsShared: Bool) -> SealedMemoryError? {
        do throws(SealedMemoryError) {
            if case .sealed(let memory) = payload {
                _ = try SealedMemory.check(memory.raw, maximumSize: PacketLimits.sealedPayload)
            }
            for descriptor in descriptors where SealedMemory.isUnsealed(descriptor.raw) {
                if allowsShared, SealedMemory.keepsItsSize(descriptor.raw) { continue }
                _ = try SealedMemory.check(descriptor.raw, maximumSize: .max)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Reads the packet as a message of its kind.
    public func message<M: Message>(_ type: M.Type = M.self) throws(ProtocolError) -> M {
        guard kind == M.kind else { throw .unexpected(kind: "\(kind)", state: "in place of \(M.kind)") }
        return try M(dictionary: dictionary)
    }
}
