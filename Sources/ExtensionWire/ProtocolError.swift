// ProtocolError: the ways in which a packet can break the protocol.

import PropertyListCoding

/// A violation of the protocol in a peer's packet. Each of these ends the connection with cause `protocolViolation`.
public enum ProtocolError: Error, Sendable, Hashable {
    case truncated(bytes: Int)
    case empty
    case oversized(bytes: Int)
    case lengthMismatch(header: Int, packet: Int)
    case unknownFlags(UInt16)
    case tooManyDescriptors
    case missingPayloadDescriptor
    case badPayloadDescriptor(String)
    case badPropertyList(String)
    case notADictionary
    case missing(key: String, kind: String)
    case wrongType(key: String, kind: String)
    case unknownKind(UInt16)
    case unexpected(kind: String, state: String)
    case serialOutOfOrder(expected: UInt32, got: UInt32)
    case creditExceeded(packets: Int, bytes: Int)
    case badCredit
    case unknownReply(UInt32)
    case versionMismatch(ours: String, theirs: String)
    case badIdentity(String)
}

extension ProtocolError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let bytes): "a packet of \(bytes) bytes is shorter than its header of \(PacketHeader.size)"
        case .empty: "an empty packet, which looks like end-of-file"
        case .oversized(let bytes): "a packet body of \(bytes) bytes is over the limit of \(PacketLimits.body)"
        case .lengthMismatch(let header, let packet):
            "the header says \(header) bytes of body, the packet has \(packet)"
        case .unknownFlags(let flags): "unknown header flags 0x\(String(flags, radix: 16))"
        case .tooManyDescriptors: "more than \(PacketLimits.descriptors) descriptors beside a packet"
        case .missingPayloadDescriptor: "the header names a sealed payload, and no descriptor came"
        case .badPayloadDescriptor(let why): "the payload's descriptor was refused: \(why)"
        case .badPropertyList(let why): "the body is no property list: \(why)"
        case .notADictionary: "the body is not a dictionary"
        case .missing(let key, let kind): "\(kind) lacks the key \(key)"
        case .wrongType(let key, let kind): "\(kind) has a value of the wrong type for \(key)"
        case .unknownKind(let kind): "unknown message kind 0x\(String(kind, radix: 16))"
        case .unexpected(let kind, let state): "\(kind) is not allowed \(state)"
        case .serialOutOfOrder(let expected, let got): "serial \(got) came where \(expected) was due"
        case .creditExceeded(let packets, let bytes):
            "sent \(packets) packets and \(bytes) bytes more than it had credit for"
        case .badCredit: "a credit message that grants nothing or more than was used"
        case .unknownReply(let serial): "an answer to serial \(serial), which awaits none"
        case .versionMismatch(let ours, let theirs): "no common protocol version: here \(ours), there \(theirs)"
        case .badIdentity(let why): "the hello does not fit this connection: \(why)"
        }
    }
}
