// RecordedRequests: the assignment of a session's packets to requests and calls.

public import ExtensionProtocol
import PropertyListCoding

/// A call, as one of its two connections shows it.
public struct RecordedCall: Sendable, Hashable {
    /// The side that calls.
    public let caller: Role
    /// The place among the calls of this caller and request on the connection, from 1.
    public let place: Int
}

/// The subject of a packet.
public struct RecordedSubject: Sendable, Hashable {
    /// The identifier of the request, as the packet spells it. Nil if the packet belongs to none.
    public var request: String?
    /// The call that the packet makes, cancels or answers. Nil if it does none of these.
    public var call: RecordedCall?
    /// Whether the packet came too late to have an effect: a cancellation after the end of the request, or an answer
    /// after the end of its call.
    public var isLate = false
    /// Whether the packet only confirms a part of an answer.
    public var isConfirmation = false
}

/// A tracker that follows a session packet by packet.
///
/// A packet that names no request belongs to the request, and to the call, of the packet that it answers.
public struct RecordedRequests: Sendable {
    private struct Place: Hashable {
        let connection: Int
        let isFromDaemon: Bool
        let serial: Int
    }

    /// A call by the number of its caller, which is the same on both connections.
    private struct Number: Hashable {
        let request: String
        let caller: Role
        let number: Int

        /// The two connections may spell the request differently.
        init(_ leg: Leg, _ number: Int) {
            (request, caller, self.number) = (leg.request.uppercased(), leg.caller, number)
        }
    }

    /// The calls of one caller and request on the connections of one role.
    private struct Leg: Hashable {
        let role: Role
        let request: String
        let caller: Role
    }

    private struct Calls {
        var numbers: [Int] = []
        var places: [Int: Int] = [:]

        mutating func add(_ number: Int) {
            numbers.append(number)
            places[number] = numbers.count
        }
    }

    private var asked: [Place: (subject: RecordedSubject, kind: String)] = [:]
    private var legs: [Leg: Calls] = [:]
    /// The calls that their callees answered in time, and those whose callers got an answer.
    private var answered: Set<Number> = []
    private var ended: Set<Number> = []
    private var endedRequests: Set<String> = []
    private static let ends: Set<String> = ["complete", "cancelRequest", "cancelled", "finished"]

    /// Makes a tracker before the first packet.
    public init() {}

    /// Returns the identifier of the request that `packet` belongs to, as the packet spells it.
    ///
    /// It must be called for every packet, in order.
    public mutating func request(of packet: RecordedPacket) -> String? { subject(of: packet).request }

    /// Returns the subject of `packet`. It must be called for every packet, in order.
    public mutating func subject(of packet: RecordedPacket) -> RecordedSubject {
        let question =
            packet.answers == 0
            ? nil
            : asked[Place(connection: packet.connection, isFromDaemon: !packet.isFromDaemon, serial: packet.answers)]
        var subject = RecordedSubject(
            request: packet.body[Key.request.rawValue]?.string ?? question?.subject.request,
            call: question?.subject.call)
        guard let request = subject.request else { return subject }
        if let caller = Self.caller(of: packet), let number = packet.body[Key.number.rawValue]?.integer {
            subject.call = call(packet, of: Leg(role: packet.role, request: request, caller: caller), Int(number))
        }
        if let question, question.kind == "callPart" { subject.isConfirmation = true }
        subject.isLate = packet.kind == "cancel" && endedRequests.contains(request.uppercased())
        if Self.ends.contains(packet.kind) { endedRequests.insert(request.uppercased()) }
        if let call = subject.call {
            let leg = Leg(role: packet.role, request: request, caller: call.caller)
            note(packet, question?.kind, of: leg, call, &subject)
        }
        asked[Place(connection: packet.connection, isFromDaemon: packet.isFromDaemon, serial: packet.serial)] =
            (subject, packet.kind)
        return subject
    }

    /// Returns the number that the caller gave to a call on a connection of `role`. Nil before the call.
    public func number(of call: RecordedCall, request: String, on role: Role) -> Int? {
        let numbers = legs[Leg(role: role, request: request, caller: call.caller)]?.numbers ?? []
        return call.place <= numbers.count ? numbers[call.place - 1] : nil
    }

    /// Whether the callee answered the call while its caller waited.
    public func isAnswered(_ call: RecordedCall, request: String, on role: Role) -> Bool {
        guard let number = number(of: call, request: request, on: role) else { return false }
        return answered.contains(Number(Leg(role: role, request: request, caller: call.caller), number))
    }

    /// The side that makes the call which the packet names by its number.
    private static func caller(of packet: RecordedPacket) -> Role? {
        let other: Role = packet.role == .host ? .extension : .host
        let sender = packet.isFromDaemon ? other : packet.role
        return switch packet.kind {
        case "call", "cancelCall": sender
        case "callPart": packet.isFromDaemon ? packet.role : other
        case "callExpires": other
        default: nil
        }
    }

    private mutating func call(_ packet: RecordedPacket, of leg: Leg, _ number: Int) -> RecordedCall? {
        if packet.kind == "call" {
            legs[leg, default: Calls()].add(number)
            if !packet.isFromDaemon {
                let key = Number(leg, number)
                ended.remove(key)
                answered.remove(key)
            }
        }
        return legs[leg]?.places[number].map { RecordedCall(caller: leg.caller, place: $0) }
    }

    /// Follows the end of a call: its callee's answer, and the daemon's to its caller.
    private mutating func note(
        _ packet: RecordedPacket, _ question: String?, of leg: Leg, _ call: RecordedCall,
        _ subject: inout RecordedSubject
    ) {
        guard let number = number(of: call, request: leg.request, on: leg.role) else { return }
        let key = Number(leg, number)
        let isFromCallee = !packet.isFromDaemon && packet.role != leg.caller
        subject.isLate = isFromCallee && (ended.contains(key) || endedRequests.contains(key.request))
        guard question == "call" else { return }
        if isFromCallee, !subject.isLate { answered.insert(key) }
        if packet.isFromDaemon, packet.role == leg.caller { ended.insert(key) }
    }
}

extension Transcript {
    /// The packets in order, each with its subject.
    public var conversation: [(packet: RecordedPacket, subject: RecordedSubject)] {
        var requests = RecordedRequests()
        return entries.compactMap {
            guard case .packet(let packet) = $0.content else { return nil }
            return (packet, requests.subject(of: packet))
        }
    }

    /// The packets in order, each with the request that it belongs to.
    public var packets: [(packet: RecordedPacket, request: String?)] {
        conversation.map { ($0.packet, $0.subject.request) }
    }
}
