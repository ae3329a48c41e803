// QuestionRouter+Calls: calls between the two sides of a request or of a connection with a service, in both
// directions, and the parts of their answers.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry

extension QuestionRouter {
    /// The two sides of a request or of a connection with a service, as one of them sees them.
    struct CallLink {
        let near: CallSide
        let far: CallSide
        /// The kind of the near side's calls. The client of a service calls as an extension does.
        let kind: QuestionBroker.Kind
        /// The process whose suspension pauses the time limits.
        let process: ExtensionProcess?
        /// Nil on a connection with a service.
        var request: Request?
        var connection: ServiceConnection?
    }

    /// The maximum of packets that wait for a callee, above which the daemon refuses further calls.
    static let callsAhead = 32
    /// The maximum of a call's `limit` and `grace` in seconds.
    private static let longest = 1e9

    /// Handles a packet of calls or connections.
    ///
    /// - Returns: false if the packet is none.
    func take(_ packet: Packet, from side: @autoclosure () -> CallSide) throws(ProtocolError) -> Bool {
        switch packet.kind {
        case .call: try call(packet, from: side())
        case .cancelCall: try cancelCall(packet, from: side())
        case .callPart: part(try packet.message(), packet, from: side())
        case .closeService: close(try packet.message(), from: side())
        default: return false
        }
        return true
    }

    /// Returns the two sides of a request that the extension has, or of a connection with a service; nil if the one
    /// side has no such.
    func link(_ identifier: RequestIdentifier, from side: CallSide) -> CallLink? {
        if let connection = services.connections[identifier], let peer = side.peer,
            let other = connection.other(than: peer)
        {
            return CallLink(
                near: side, far: other, kind: connection.client.peer === peer ? .extensionCall : .hostCall,
                process: connection.process, connection: connection)
        }
        if let host = side.host {
            guard let request = inventory.request(identifier, of: host), request.isOpen, request.hasBeenDelivered,
                let process = request.process, process.peer != nil
            else { return nil }
            return CallLink(near: side, far: CallSide(process), kind: .hostCall, process: process, request: request)
        }
        guard let process = side.process, let (request, host) = openRequest(identifier, of: process) else { return nil }
        return CallLink(near: side, far: CallSide(host), kind: .extensionCall, process: process, request: request)
    }

    // MARK: Calls

    /// Forwards a call to the other side.
    ///
    /// It is a violation if the extension point does not list an extension's call under `Sends`.
    func call(_ packet: Packet, from side: CallSide) throws(ProtocolError) {
        let message: Call = try packet.message()
        if try postpone(message.request, packet, from: side, QuestionRouter.call) { return }
        let link = link(message.request, from: side)
        if let request = link?.request, link?.kind == .extensionCall,
            !point(of: request).messages.sends.contains(message.name)
        {
            throw .unexpected(
                kind: "call", state: "\(message.name.cut(toBytes: 64)), which its extension point does not send")
        }
        do throws(ExtensionHostError) {
            guard let link else { throw absence(of: message.request, from: side) }
            if let problem = problem(message, link) { throw problem }
            link.connection?.calls += 1
            try pass(message, packet, link)
        } catch {
            side.peer?.reply(packet, error)
        }
    }

    /// Returns the reason why a side has no link.
    private func absence(of identifier: RequestIdentifier, from side: CallSide) -> ExtensionHostError {
        guard let host = side.host else { return ExtensionHostError(.contextFinished, "the request has ended") }
        guard inventory.request(identifier, of: host)?.isOpen == true else {
            return ExtensionHostError(.noSuchRequest, "request \(identifier) is not open in this host")
        }
        return ExtensionHostError(
            .invalidArgument, "the extension does not have the request yet", remedy: "Call it after `begun`")
    }

    /// Returns the reason why a side may not make a call; nil if it may.
    private func problem(_ message: Call, _ link: CallLink) -> ExtensionHostError? {
        guard let request = link.request else {
            guard link.connection?.isOpen == false else { return nil }
            return ExtensionHostError(
                .invalidArgument, "the provider has not accepted the connection yet",
                remedy: "Call after the answer to openService")
        }
        let hasCalls = link.far.peer.map { $0.version >= .withCalls } == true
        guard link.kind == .hostCall else {
            return hasCalls
                ? nil : ExtensionHostError(.notSimulated, "the host's kit has no calls", remedy: "Update the host")
        }
        guard point(of: request).messages.accepts.contains(message.name) else {
            return ExtensionHostError(
                .notPermitted,
                "the extension point \(request.bundle.point) accepts no call \(message.name.cut(toBytes: 64))",
                remedy: "exthostctl show --point \(request.bundle.point) lists the calls under Accepts")
        }
        return hasCalls
            ? nil
            : ExtensionHostError(
                .frameworkMissing, "the extension is built with an older kit, which has no calls",
                remedy: "Build the extension with the current kit")
    }

    private func point(of request: Request) -> ExtensionPoint { context.options.points[request.bundle.point] }

    private func pass(_ message: Call, _ packet: Packet, _ link: CallLink) throws(ExtensionHostError) {
        let (caller, callee, request) = (link.near, link.far, link.request)
        guard let peer = callee.peer else {
            throw ExtensionHostError(.contextFinished, "the other side has disconnected")
        }
        if let problem = packet.memoryProblem(allowsShared: true) {
            throw ExtensionHostError(
                .invalidArgument, "the memory of the arguments is not forwarded: \(problem)",
                remedy: "Pass a memfd with the seals SHRINK, GROW and WRITE")
        }
        guard peer.queuedPackets < Self.callsAhead else {
            throw ExtensionHostError(
                .quotaExceeded, "\(Self.callsAhead) packets wait for the other side, which is the limit",
                remedy: "Wait for the answers of earlier calls")
        }
        let limit = try timeLimit(message, link)
        let name = "\(message.name) \(message.number)"
        let isLast = link.kind == .hostCall && request.map { point(of: $0).ends == message.name } == true
        do throws(QuestionBroker.Refusal) {
            try ask(
                QuestionBroker.Question(link.kind, of: message.request, to: callee.party, name: message.number),
                message, payload: packet.payload, descriptors: packet.descriptors, of: peer, in: link.process,
                within: limit,
                willAsk: {
                    request?.tell(
                        .callStarted(detail: "\(name) by the \(link.kind == .hostCall ? "host" : "extension")"))
                },
                answer: {
                    [weak request, serial = packet.serial, kind = link.kind, isService = request == nil] answer in
                    // First: the bound must outlive a daemon that is killed once the host has the answer.
                    if isLast, case .success = answer { request?.lastCallAnswered() }
                    let (outcome, violation) = Self.finish(answer, serial, caller, callee, isService ? nil : kind)
                    request?.tell(.callFinished(detail: "\(name): \(outcome)"))
                    // This ends the request, after which it has no events of calls.
                    if let violation { callee.violated(violation) }
                })
        } catch {
            throw Self.problem(error, "calls")
        }
    }

    private func timeLimit(_ message: Call, _ link: CallLink) throws(ExtensionHostError) -> TimeLimit? {
        for seconds in [message.limit, message.grace] {
            guard let seconds else { continue }
            guard seconds > 0, seconds <= Self.longest else {
                throw ExtensionHostError(
                    .invalidArgument, "a time limit of \(seconds) s is invalid", remedy: "Set seconds above 0")
            }
        }
        let preset =
            if let request = link.request {
                point(of: request).callLimits[message.name] ?? link.process?.timers[.call]
            } else {
                context.callLimitOfServices
            }
        guard let duration = message.limit.map({ .seconds($0) }) ?? preset else { return nil }
        let expires = CallExpires(request: message.request, number: message.number)
        return TimeLimit(
            timer: .call, duration: duration, grace: message.grace.map { .seconds($0) },
            expires: { [callee = link.far] in callee.peer?.send(expires) },
            late: {
                ExtensionHostError(
                    .timedOut, "\(message.name) was not answered within \(duration)",
                    remedy: "Answer sooner in its handler, or set exthostd --timer call=…")
            })
    }

    /// Sends the answer of a call to its caller.
    ///
    /// - Returns: the outcome for the log, and the callee's violation if its answer is none.
    private static func finish(
        _ answer: Result<Packet, ExtensionHostError>, _ serial: UInt32, _ caller: CallSide, _ callee: CallSide,
        _ kind: QuestionBroker.Kind?
    ) -> (outcome: String, violation: ProtocolError?) {
        switch answer {
        case .success(let packet) where packet.kind == .called && packet.memoryProblem == nil:
            caller.peer?.send(Called(), payload: packet.payload, descriptors: packet.descriptors, replyTo: serial)
            return (packet.payload.summary, nil)
        case .success(let packet):
            let error: ProtocolError =
                if let problem = packet.memoryProblem {
                    .badPayloadDescriptor("of an answer: \(problem)")
                } else {
                    .unexpected(kind: "\(packet.kind)", state: "as the answer to a call")
                }
            caller.peer?.send(
                ErrorReply(ExtensionHostError(.protocolViolation, "the answer is not one: \(error)")), replyTo: serial)
            return ("failed: no answer to a call", error)
        case .failure(var error):
            // The callee's connection is closed, and the end of its process or session follows.
            if error.code == .connectionLost, let kind {
                error = ExtensionHostError(
                    kind == .hostCall ? .interrupted : .contextFinished, "the other side has disconnected",
                    cause: error.message)
            }
            caller.peer?.send(ErrorReply(error), replyTo: serial)
            return ("failed: \(error.message)", nil)
        }
    }

    // MARK: Cancellation

    private func cancelCall(_ packet: Packet, from side: CallSide) throws(ProtocolError) {
        let message: CancelCall = try packet.message()
        // The call may wait for the other side, too.
        if try postpone(message.request, packet, from: side, QuestionRouter.cancelCall) { return }
        // The answer may have crossed with the cancellation.
        guard let link = link(message.request, from: side),
            let number = context.driver.questions.number(link.kind, of: message.request, name: message.number)
        else { return }
        giveUp(number, ExtensionHostError(.contextFinished, "the caller cancelled the call"))
    }

    /// Tells the callee that nobody waits for its answer any more.
    func tellCalleeOfCancellation(_ question: QuestionBroker.Question) {
        guard let number = question.name else { return }
        let callee =
            if let connection = services.connections[question.request] {
                question.kind == .hostCall ? connection.client.peer : connection.provider.peer
            } else if let request = inventory.requests[question.request] {
                question.kind == .hostCall ? request.process?.peer : request.host?.peer
            } else {
                nil as Peer?
            }
        callee?.send(CancelCall(request: question.request, number: number))
    }

    // MARK: Parts

    static let isOver = ExtensionHostError(.contextFinished, "the call has been answered or cancelled")

    /// Forwards a part of an answer to the side that called. It restarts the time limit of its call.
    private func part(_ message: CallPart, _ packet: Packet, from callee: CallSide) {
        let link = link(message.request, from: callee)
        let isHosts = link?.kind == .hostCall
        guard let link, packet.memoryProblem == nil, let peer = link.far.peer,
            let number = context.driver.questions.number(
                isHosts ? .extensionCall : .hostCall, of: message.request, name: message.number)
        else {
            callee.peer?.reply(packet, Self.isOver)
            return
        }
        do throws(QuestionBroker.Refusal) {
            try ask(
                QuestionBroker.Question(
                    isHosts ? .hostPart : .extensionPart, of: message.request, to: link.far.party), message,
                payload: packet.payload, descriptors: packet.descriptors, of: peer, partOf: number, in: link.process
            ) { [serial = packet.serial] answer in
                switch answer {
                case .success: callee.peer?.send(Success(), replyTo: serial)
                case .failure(let error): callee.peer?.send(ErrorReply(error), replyTo: serial)
                }
            }
            startTime(of: number, in: link.process)
        } catch {
            callee.peer?.reply(packet, Self.problem(error, "parts"))
        }
    }
}
