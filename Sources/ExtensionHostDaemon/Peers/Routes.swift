// Routes: the method that answers each kind of question, and the reply to a question.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

/// The reply to one question. Call it once, with the response or with an error. Its type is the response type of the
/// question.
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

/// The routes of a service, by the kind of message. The service sees typed messages and no packets.
@HostActor
struct Routes<Service: AnyObject> {
    private var routes: [MessageKind: any Route<Service>] = [:]

    /// Adds a method that answers at once: `routes.on(Service.status)`. An error that it throws is the reply.
    mutating func on<Question: RequestMessage>(
        _ method:
            @escaping @HostActor (Service) -> @HostActor (Question) throws(ExtensionHostError) -> Question.Response
    ) {
        routes[Question.kind] = RouteAtOnce(method: method)
    }

    /// Adds a method that replies later. An error that it throws is the reply.
    mutating func on<Question: RequestMessage>(
        _ method:
            @escaping @HostActor (Service) ->
            @HostActor (Question, Reply<Question.Response>) throws(ExtensionHostError) -> Void
    ) {
        routes[Question.kind] = RouteLater(method: method)
    }

    /// Routes a packet to its method.
    ///
    /// - Returns: false if no method takes this kind of message.
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
    let method:
        @HostActor (Service) -> @HostActor (Question, Reply<Question.Response>) throws(ExtensionHostError) -> Void

    func take(_ packet: Packet, of service: Service, from peer: Peer) throws(ProtocolError) {
        let question: Question = try packet.message()
        let reply = Reply<Question.Response>(to: packet, by: peer)
        do throws(ExtensionHostError) { try method(service)(question, reply) } catch { reply(error) }
    }
}
