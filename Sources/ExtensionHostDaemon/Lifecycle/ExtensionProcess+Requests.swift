// ExtensionProcess+Requests: the requests of a process, from their assignment to their end, and its output for them.

import ExtensionHostModel
import ExtensionProtocol

extension ExtensionProcess {
    /// The assigned requests in the order of their begin.
    var requestsInOrder: [Request] { requests.values.inOrder() }

    var openWork: OpenWork {
        let open = requestsInOrder.filter(\.isOpen).map(\.identifier)
        return OpenWork(requests: open, loads: loads(of: open))
    }

    /// The open loads of these requests, oldest first.
    func loads(of requests: [RequestIdentifier]) -> [LoadRecord] {
        loads.filter { requests.contains($0.value.request) }.sorted { $0.key < $1.key }.map(\.value.record)
    }

    /// The identifiers of the assigned requests, sorted by their text.
    var identifiers: [RequestIdentifier] { requests.keys.sorted { $0.description < $1.description } }

    /// Takes a request, which the model has assigned to it.
    func take(_ request: Request, _ assignment: LifecycleModel.Assignment) {
        // Earlier output belongs to other requests, and later output to this one, too. All output of a new process
        // belongs to its first request.
        if assignment == .reused { output?.drain() }
        if requests.isEmpty { story = story.filter(machine.work.contains) }
        enterStory(request.identifier)
        requests[request.identifier] = request
        context.output.began(request.identifier, by: printer, after: assignment == .reused ? nil : early.after)
        hosts.add(request.hostName, request.host)
        for (stream, bytes) in early.take() { hosts.show(printed(bytes, stream)) }
        if assignment == .prewarmed { tell(.taken) }
        tell(.serves(host: request.hostName, isWarm: assignment != .launched))
        request.belongs(to: self)
    }

    /// A request of this process is closed: its host has been answered.
    func requestEnded(_ request: Request, work: Bool) {
        guard requests.removeValue(forKey: request.identifier) != nil else { return }
        lastHost = request.host
        guard !work else { return }
        printed(for: request.identifier)
        leaveStory(request.identifier)
    }

    private static let servedKept = 256

    func enterStory(_ request: RequestIdentifier) {
        story.append(request)
        if served.count == Self.servedKept { served.removeFirst() }
        served.append(request)
    }

    /// Removes a request from `story`, unless it is the last one there.
    func leaveStory(_ request: RequestIdentifier) {
        if story.count > 1 { story.removeAll { $0 == request } }
    }

    /// Ends the output of a request. The process has printed all of it before it sent the message on its socket.
    func printed(for request: RequestIdentifier) {
        output?.drain()
        if requests.isEmpty { context.output.finishLines(of: printer) }
        context.output.ended(request)
    }

    /// Tells the model that the process has heard of all state changes of its hosts so far.
    func hasHeard() { context.driver.post(.heard(number)) }

    /// Sends the process the state changes of its hosts that were held back, and tells the model.
    func tellPostponed() {
        if case .exited = machine.state { return }
        peer?.sendPostponed()
        hasHeard()
    }
}
