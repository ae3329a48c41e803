// Routes: which method answers which question, and the one answer that each question gets.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

/// Where the answer to a question goes: once, when it is found. It can be of no other type than the question asks for.
@HostActor
struct Reply<Response: Message> {
    private let peer: Peer
    private let serial: UInt32

    fileprivate init(to packet: Packet, by peer: Peer) { (self.peer, serial) = (peer, packet.serial) }

    func callAsFunction(_ response: Response, payload: Payload = .none) {
        peer.send(response, payload: payload, replyTo: serial)
    }

    func callAsFunction(_ error: ExtensionHostError) { peer.send(ErrorReply(error), replyTo: serial) }

    func callAsFunction(_ result: Result<Response, ExtensionHostError>) {
        switch result {
        case .success(let response): self(response)
        case .failure(let error): self(error)
        }
    }
}

/// The questions that a service answers. The service sees typed messages and never a packet.
@HostActor
struct Routes<Service: AnyObject> {
    private var routes: [MessageKind: any Route<Service>] = [:]

    /// A question that a method answers at once: `routes.on(Service.status)`. What it throws is the answer.
    mutating func on<Question: RequestMessage>(
        _ method: @escaping @HostActor (Service) -> @HostActor (Question) throws(ExtensionHostError) -> Question.Response
    ) {
        routes[Question.kind] = RouteAtOnce(method: method)
    }

    /// A question whose answer takes time. What the method throws is the answer.
    mutating func on<Question: RequestMessage>(
        _ method:
            @escaping @HostActor (Service) -> @HostActor (Question, Reply<Question.Response>) throws(ExtensionHostError) -> Void
    ) {
        routes[Question.kind] = RouteLater(method: method)
    }

    /// - Returns: false where the packet is none of these questions.
    func take(_ packet: Packet, of service: Service, from peer: Peer) throws(ProtocolError) -> Bool {
        guard let route = routes[packet.kind] else { return false }
        try route.take(packet, of: service, from: peer)
        return true
    }
}

@HostActor
private protocol Route<Service> {
    associatedtype Service: AnyObject
    func take(_ packet: Packet, of service: Service, from peer: Peer) throws(ProtocolError)
}

private struct RouteAtOnce<Service: AnyObject, Question: RequestMessage>: Route {
    let method: @HostActor (Service) -> @HostActor (Question) throws(ExtensionHostError) -> Question.Response

    func take(_ packet: Packet, of service: Service, from peer: Peer) throws(ProtocolError) {
        let question: Question = try packet.message()
        let reply = Reply<Question.Response>(to: packet, by: peer)
        do throws(ExtensionHostError) { reply(try method(service)(question)) } catch { reply(error) }
    }
}

private struct RouteLater<Service: AnyObject, Question: RequestMessage>: Route {
    let method: @HostActor (Service) -> @HostActor (Question, Reply<Question.Response>) throws(ExtensionHostError) -> Void

    func take(_ packet: Packet, of service: Service, from peer: Peer) throws(ProtocolError) {
        let question: Question = try packet.message()
        let reply = Reply<Question.Response>(to: packet, by: peer)
        do throws(ExtensionHostError) { try method(service)(question, reply) } catch { reply(error) }
    }
}
