// QuestionRouter+Calls: calls between the two sides of a request, in both directions, and the parts of their answers.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry

extension QuestionRouter {
    /// The way of a call.
    struct CallRoute {
        let kind: QuestionBroker.Kind
        let caller: CallSide
        let callee: CallSide
        /// The process whose suspension pauses the time limit.
        let process: ExtensionProcess?
        /// The request; nil on a connection with a service.
        let request: Request?
        /// The time limit of a call that has none of its own; nil means none.
        let preset: Duration?
    }

    /// The maximum of packets that wait for a callee, above which the daemon refuses further calls.
    static let callsAhead = 32
    /// The maximum of a call's `limit` and `grace` in seconds.
    private static let longest = 1e9

    // MARK: Calls

    /// Forwards a host's call to its extension.
    func call(_ packet: Packet, from host: Host) throws(ProtocolError) {
        let message: Call = try packet.message()
        let waits = inventory.request(message.request, of: host)?.onceExtensionIsBack { [weak self, weak host] in
            guard let host, !host.peer.isClosed else { return }
            do throws(ProtocolError) { try self?.call(packet, from: host) } catch { host.peer.fail(error) }
        }
        if waits == true { return }
        do throws(ExtensionHostError) {
            guard let request = inventory.request(message.request, of: host), request.isOpen else {
                throw ExtensionHostError(.noSuchRequest, "request \(message.request) is not open in this host")
            }
            guard request.hasBeenDelivered, let process = request.process, let peer = process.peer else {
                throw ExtensionHostError(
                    .invalidArgument, "the extension does not have the request yet", remedy: "Call it after `begun`")
            }
            guard point(of: request).messages.accepts.contains(message.name) else {
                throw ExtensionHostError(
                    .notPermitted,
                    "the extension point \(request.bundle.point) accepts no call \(message.name.cut(toBytes: 64))",
                    remedy: "exthostctl show --point \(request.bundle.point) lists the calls under Accepts")
            }
            guard peer.version >= .withCalls else {
                throw ExtensionHostError(
                    .frameworkMissing, "the extension is built with an older kit, which has no calls",
                    remedy: "Build the extension with the current kit")
            }
            try pass(
                message, packet,
                CallRoute(
                    kind: .hostCall, caller: CallSide(host), callee: CallSide(process), process: process,
                    request: request, preset: preset(message, of: request, in: process)))
        } catch {
            host.peer.reply(packet, error)
        }
    }

    /// Forwards an extension's call to the host of its request.
    ///
    /// It is a violation if the extension point does not list the call under `Sends`.
    func call(_ packet: Packet, from process: ExtensionProcess) throws(ProtocolError) {
        let message: Call = try packet.message()
        let isPostponed = try postpone(message.request, from: process) { [weak self] (process) throws(ProtocolError) in
            try self?.call(packet, from: process)
        }
        if isPostponed { return }
        do throws(ExtensionHostError) {
            guard let (request, host) = openRequest(message.request, of: process) else {
                throw ExtensionHostError(.contextFinished, "the request has ended")
            }
            guard point(of: request).messages.sends.contains(message.name) else {
                return process.violated(
                    .unexpected(
                        kind: "call", state: "\(message.name.cut(toBytes: 64)), which its extension point does not send"
                    ))
            }
            guard host.peer.version >= .withCalls else {
                throw ExtensionHostError(.notSimulated, "the host's kit has no calls", remedy: "Update the host")
            }
            try pass(
                message, packet,
                CallRoute(
                    kind: .extensionCall, caller: CallSide(process), callee: CallSide(host), process: process,
                    request: request, preset: preset(message, of: request, in: process)))
        } catch {
            process.peer?.reply(packet, error)
        }
    }

    private func point(of request: Request) -> ExtensionPoint { context.options.points[request.bundle.point] }

    private func preset(_ message: Call, of request: Request, in process: ExtensionProcess) -> Duration? {
        point(of: request).callLimits[message.name] ?? process.timers[.call]
    }

    /// Forwards a call.
    func pass(_ message: Call, _ packet: Packet, _ route: CallRoute) throws(ExtensionHostError) {
        let (caller, callee) = (route.caller, route.callee)
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
        let limit = try timeLimit(message, route)
        let name = "\(message.name) \(message.number)"
        let isLast = route.kind == .hostCall && route.request.map { point(of: $0).ends == message.name } == true
        do throws(QuestionBroker.Refusal) {
            try ask(
                QuestionBroker.Question(route.kind, of: message.request, to: callee.party, name: message.number),
                message, payload: packet.payload, descriptors: packet.descriptors, of: peer, in: route.process,
                within: limit,
                willAsk: {
                    route.request?.tell(
                        .callStarted(detail: "\(name) by the \(route.kind == .hostCall ? "host" : "extension")"))
                },
                answer: {
                    [
                        weak request = route.request, serial = packet.serial, kind = route.kind,
                        isService = route.request == nil
                    ] answer in
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

    private func timeLimit(_ message: Call, _ route: CallRoute) throws(ExtensionHostError) -> TimeLimit? {
        for seconds in [message.limit, message.grace] {
            guard let seconds else { continue }
            guard seconds > 0, seconds <= Self.longest else {
                throw ExtensionHostError(
                    .invalidArgument, "a time limit of \(seconds) s is invalid", remedy: "Set seconds above 0")
            }
        }
        guard let duration = message.limit.map({ .seconds($0) }) ?? route.preset else { return nil }
        let expires = CallExpires(request: message.request, number: message.number)
        return TimeLimit(
            timer: .call, duration: duration, grace: message.grace.map { .seconds($0) },
            expires: { [callee = route.callee] in callee.peer?.send(expires) },
            late: ExtensionHostError(
                .timedOut, "\(message.name) was not answered within \(duration)",
                remedy: "Answer sooner in its handler, or set exthostd --timer call=…"))
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

    func cancelCall(_ packet: Packet, from host: Host) throws(ProtocolError) {
        let message: CancelCall = try packet.message()
        guard let request = inventory.request(message.request, of: host) else { return }
        // The call may wait for the extension, too.
        let waits = request.onceExtensionIsBack { [weak self] in self?.cancel(.hostCall, message) }
        if !waits { cancel(.hostCall, message) }
    }

    func cancelCall(_ packet: Packet, from process: ExtensionProcess) throws(ProtocolError) {
        let message: CancelCall = try packet.message()
        let isPostponed = try postpone(message.request, from: process) { [weak self] (process) throws(ProtocolError) in
            try self?.cancelCall(packet, from: process)
        }
        if isPostponed { return }
        guard inventory.requests[message.request]?.process === process else { return }
        cancel(.extensionCall, message)
    }

    func cancel(_ kind: QuestionBroker.Kind, _ message: CancelCall) {
        // The answer may have crossed with the cancellation.
        guard let number = context.driver.questions.number(kind, of: message.request, name: message.number) else {
            return
        }
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

    /// Forwards a part of a host's answer to the extension that called.
    func part(_ packet: Packet, from host: Host) throws(ProtocolError) {
        let message: CallPart = try packet.message()
        guard let request = inventory.request(message.request, of: host), let process = request.process,
            let peer = process.peer
        else { return host.peer.reply(packet, Self.isOver) }
        pass(
            message, packet, of: .extensionCall, .hostPart, to: .process(process.number), peer, process,
            from: CallSide(host))
    }

    /// Forwards a part of an extension's answer to the host that called.
    func part(_ packet: Packet, from process: ExtensionProcess) throws(ProtocolError) {
        let message: CallPart = try packet.message()
        guard let (_, host) = openRequest(message.request, of: process) else {
            process.peer?.reply(packet, Self.isOver)
            return
        }
        pass(
            message, packet, of: .hostCall, .extensionPart, to: .host(host.name), host.peer, process,
            from: CallSide(process))
    }

    static let isOver = ExtensionHostError(.contextFinished, "the call has been answered or cancelled")

    /// Forwards a part. It restarts the time limit of its call.
    func pass(
        _ message: CallPart, _ packet: Packet, of call: QuestionBroker.Kind, _ kind: QuestionBroker.Kind,
        to party: QuestionBroker.Party, _ peer: Peer, _ process: ExtensionProcess?, from callee: CallSide
    ) {
        guard packet.memoryProblem == nil,
            let number = context.driver.questions.number(call, of: message.request, name: message.number)
        else {
            callee.peer?.reply(packet, Self.isOver)
            return
        }
        do throws(QuestionBroker.Refusal) {
            try ask(
                QuestionBroker.Question(kind, of: message.request, to: party), message, payload: packet.payload,
                descriptors: packet.descriptors, of: peer, partOf: number, in: process
            ) { [serial = packet.serial] answer in
                switch answer {
                case .success: callee.peer?.send(Success(), replyTo: serial)
                case .failure(let error): callee.peer?.send(ErrorReply(error), replyTo: serial)
                }
            }
            startTime(of: number, in: process)
        } catch {
            callee.peer?.reply(packet, Self.problem(error, "parts"))
        }
    }
}
