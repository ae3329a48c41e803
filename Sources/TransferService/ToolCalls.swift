// ToolCalls: the calls of tools.

internal import ExtensionPointKit
internal import SQLite
internal import TransferMessages

extension TransferService {
    func callTool(_ name: String, _ arguments: EncodedValue, _ client: TransferClient) throws -> EncodedValue {
        let names = [
            ListTransferSessions.name, ShowTransferSession.name, AllowTransfers.name, DeliverTransferEvents.name,
            StopTransfers.name,
        ]
        guard names.contains(name) else {
            throw ExtensionHostError(.notImplemented, "the service has no call \(name)")
        }
        guard client.side == .tool else {
            throw ExtensionHostError(.notPermitted, "\(name) is a call of tools", remedy: "Use exthostctl transfers")
        }
        switch name {
        case ListTransferSessions.name:
            return try reply(ListTransferSessions.self, arguments) { _ in
                ListTransferSessions.Reply(
                    sessions.values.sorted { ($0.value.app, $0.id) < ($1.value.app, $1.id) }.map(record))
            }
        case ShowTransferSession.name:
            return try reply(ShowTransferSession.self, arguments) { message in
                let session = try named(message.session)
                return ShowTransferSession.Reply(
                    session: record(session),
                    tasks: descriptions(of: session) + session.events.compactMap(\.value.task))
            }
        case AllowTransfers.name: return try reply(AllowTransfers.self, arguments, allow)
        case DeliverTransferEvents.name: return try reply(DeliverTransferEvents.self, arguments, deliver)
        default: return try reply(StopTransfers.self, arguments, stop)
        }
    }

    private func named(_ name: TransferSessionName) throws(ExtensionHostError) -> LiveSession {
        let found = sessions.values.filter {
            $0.value.identifier == name.identifier && (name.app ?? $0.value.app) == $0.value.app
        }
        guard let session = found.first else {
            throw ExtensionHostError(
                .invalidArgument, "there is no background session \(name.identifier)",
                remedy: "exthostctl transfers list shows those there are")
        }
        guard found.count == 1 else {
            throw ExtensionHostError(
                .invalidArgument, "\(found.count) apps have a background session \(name.identifier)",
                remedy: "Name the app, too: \(found.map(\.value.app).sorted().joined(separator: ", "))")
        }
        return session
    }

    private func record(_ session: LiveSession) -> TransferSessionRecord {
        TransferSessionRecord(
            app: session.value.app, identifier: session.value.identifier,
            container: session.value.configuration.container, user: session.connection?.client.identifier,
            unfinished: session.tasks, finished: session.events.count { $0.value.completion != nil },
            events: session.events.count, receiver: session.value.receiver)
    }

    private func allow(_ message: AllowTransfers) throws(ExtensionHostError) -> Nothing {
        let wanted = try message.session.map { (name) throws(ExtensionHostError) in try named(name) }
        for task in tasks.values where task.value.allowed != nil && (wanted.map { $0 === task.session } ?? true) {
            var value = task.value
            value.allowed = nil
            try save(value, task)
        }
        return Nothing()
    }

    private func deliver(_ message: DeliverTransferEvents) throws(ExtensionHostError) -> Nothing {
        let session = try named(message.session)
        guard message.receiver != .unrecognized else {
            throw ExtensionHostError(.invalidArgument, "the receiver is app, extension or any")
        }
        var value = session.value
        (value.receiver, value.wokenFor) = (message.receiver, 0)
        try change { () throws(SQLiteError) in try store.update(value, session.id) }
        session.value = value
        finishEvents(session)
        deliver(session)
        session.wakesAnew()
        if message.receiver == .app, session.underWay == 0, !session.reachesReceiver { wake(session) }
        return Nothing()
    }

    private func stop(_ message: StopTransfers) throws(ExtensionHostError) -> Nothing {
        let session = try named(message.session)
        let stopped = tasks.values.filter {
            $0.session === session && $0.value.state != .kept && $0.value.state != .ending
                && (message.task ?? $0.value.number) == $0.value.number
        }
        if let number = message.task, stopped.isEmpty {
            throw ExtensionHostError(
                .invalidArgument, "the session has no task \(number) that could be cancelled",
                remedy: "exthostctl transfers show shows its tasks")
        }
        for task in stopped.sorted(by: { $0.id < $1.id }) { _ = try cancel(task, producesResumeData: false) }
        return Nothing()
    }
}
