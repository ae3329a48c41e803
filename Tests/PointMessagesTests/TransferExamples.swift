// TransferExamples: values of every message of background transfers.

import ExtensionPointKit
import PointMessages
import TransferMessages

private let name = TransferSessionName(app: "org.example.app", identifier: "s")
private let request = TransferRequest(url: "https://example.org/a", headers: [TransferHeader("Accept", "*/*")])
private let response = TransferResponse(
    url: "https://example.org/b", status: 200, headers: [TransferHeader("ETag", "x")])
private let fault = TransferFault(-1_001, "too late", resumeData: [1, 255])
private let bareFault = TransferFault(-996, "in use")

private func task(isFull: Bool) -> TransferTask {
    TransferTask(
        number: 3, kind: .upload, request: request, state: .running, bytes: 7, expected: isFull ? 9 : nil,
        response: isFull ? response : nil, label: isFull ? "photo" : nil)
}

private func record(isFull: Bool) -> TransferSessionRecord {
    TransferSessionRecord(
        app: "org.example.app", identifier: "s", container: isFull ? "group.example" : nil,
        user: isFull ? "org.example.share" : nil, unfinished: 1, finished: 2, events: 3, receiver: .any)
}

private func added(isFull: Bool) throws -> AddTransferTask {
    guard isFull else { return AddTransferTask(session: "s", kind: .download, request: request) }
    return AddTransferTask(
        session: "s", kind: .upload, request: request, file: try PointFile(readingAt: "/etc/passwd"),
        resumeData: [1, 2], earliestBegin: 1_400_000_000.5, label: "photo")
}

private func completion(isFull: Bool) -> TransferCompletion {
    TransferCompletion(
        session: "s", event: 12, task: 3, kind: .download, file: isFull ? "Library/1.download" : nil,
        container: isFull ? "group.example" : nil, body: isFull ? [79, 75] : nil, bytes: 9,
        response: isFull ? response : nil, fault: isFull ? fault : nil)
}

/// All messages of `TransferMessages`.
func transferExamples() throws -> [MessageExamples] {
    [
        MessageExamples(
            OpenTransferSession.self,
            [
                "full": OpenTransferSession(TransferConfiguration(identifier: "s", container: "group.example")),
                "bare": OpenTransferSession(TransferConfiguration(identifier: "s", container: nil)),
            ],
            replies: [
                "full": OpenTransferSession.Reply(tasks: [task(isFull: true)], fault: fault),
                "bare": OpenTransferSession.Reply(tasks: [task(isFull: false)], fault: nil),
            ]),
        MessageExamples(
            AddTransferTask.self, ["full": try added(isFull: true), "bare": try added(isFull: false)],
            replies: [
                "full": AddTransferTask.Reply(task: 3, fault: fault),
                "bare": AddTransferTask.Reply(task: nil, fault: nil),
            ]),
        MessageExamples(
            ResumeTransferTask.self,
            [
                "full": ResumeTransferTask(
                    session: "s", task: 3, earliestBegin: 1_400_000_000.5, label: "photo", isOpened: true),
                "bare": ResumeTransferTask(session: "s", task: 3),
            ]),
        MessageExamples(SuspendTransferTask.self, ["": SuspendTransferTask(session: "s", task: 3)]),
        MessageExamples(
            CancelTransferTask.self, ["": CancelTransferTask(session: "s", task: 3, producesResumeData: true)],
            replies: [
                "full": CancelTransferTask.Reply(resumeData: [0]), "bare": CancelTransferTask.Reply(resumeData: nil),
            ]),
        MessageExamples(
            ListTransferTasks.self, ["": ListTransferTasks(session: "s")],
            replies: [
                "full": ListTransferTasks.Reply([task(isFull: true)]),
                "bare": ListTransferTasks.Reply([task(isFull: false)]),
            ]),
        MessageExamples(AcknowledgeTransferEvent.self, ["": AcknowledgeTransferEvent(session: "s", event: 12)]),
        MessageExamples(CloseTransferSession.self, ["": CloseTransferSession(session: "s")]),
        MessageExamples(
            TransferProgress.self,
            [
                "full": TransferProgress(session: "s", task: 3, added: 1, bytes: 7, expected: 9),
                "bare": TransferProgress(session: "s", task: 3, added: 1, bytes: 7, expected: nil),
            ]),
        MessageExamples(
            TransferContinuation.self,
            [
                "full": TransferContinuation(session: "s", task: 3, offset: 7, expected: 9),
                "bare": TransferContinuation(session: "s", task: 3, offset: 7, expected: nil),
            ]),
        MessageExamples(
            TransferCompletion.self, ["full": completion(isFull: true), "bare": completion(isFull: false)]),
        MessageExamples(TransferEventsFinished.self, ["": TransferEventsFinished(session: "s", event: 13)]),
        MessageExamples(
            TransferSessionLost.self,
            [
                "full": TransferSessionLost(session: "s", fault: fault),
                "bare": TransferSessionLost(session: "s", fault: bareFault),
            ]),
        MessageExamples(
            ListTransferSessions.self, ["": ListTransferSessions()],
            replies: [
                "full": ListTransferSessions.Reply([record(isFull: true)]),
                "bare": ListTransferSessions.Reply([record(isFull: false)]),
            ]),
        MessageExamples(
            ShowTransferSession.self,
            ["full": ShowTransferSession(name), "bare": ShowTransferSession(TransferSessionName(identifier: "s"))],
            replies: [
                "full": ShowTransferSession.Reply(session: record(isFull: true), tasks: [task(isFull: true)]),
                "bare": ShowTransferSession.Reply(session: record(isFull: false), tasks: [task(isFull: false)]),
            ]),
        MessageExamples(AllowTransfers.self, ["full": AllowTransfers(name), "bare": AllowTransfers(nil)]),
        MessageExamples(
            DeliverTransferEvents.self,
            [
                "full": DeliverTransferEvents(name, to: .app),
                "bare": DeliverTransferEvents(TransferSessionName(identifier: "s"), to: .extension),
            ]),
        MessageExamples(
            StopTransfers.self,
            [
                "full": StopTransfers(name, task: 3),
                "bare": StopTransfers(TransferSessionName(identifier: "s")),
            ]),
        MessageExamples(
            AnswerTransfers.self,
            [
                "full": AnswerTransfers([
                    TransferAnswer(
                        "https://example.org/a", status: 206, headers: [TransferHeader("a", "b")], body: [1, 2],
                        tag: "\"t\"", cut: 1, delay: 0.5, duration: 1.5, times: 2)
                ]),
                "bare": AnswerTransfers([TransferAnswer("https://example.org/a", status: nil)]),
            ]),
        MessageExamples(AwaitTransfers.self, ["": AwaitTransfers(of: "org.example.app")]),
    ]
}
