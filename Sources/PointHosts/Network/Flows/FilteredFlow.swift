// FilteredFlow: a flow that a filter decides about, with the bytes that wait for its decision.

internal import ExtensionPointKit
public import PointMessages

/// A flow of a filter. One task at a time may use each direction.
public actor FilteredFlow {
    /// A direction of a flow.
    public enum Direction: Sendable, Hashable {
        /// The direction to the program.
        case inbound
        /// The direction from the program.
        case outbound
    }

    private struct Bytes {
        /// Whether the filter sees bytes of the direction.
        var isFiltered = false
        /// The bytes that have come and not passed.
        var held: [UInt8] = []
        /// The number of bytes that have passed.
        var offset = 0
        /// The number of bytes that pass without a look.
        var pass = 0
        /// The number of bytes that the filter wants to see then.
        var peek = 0
        /// The number of the held bytes that the filter has seen.
        var shown = 0
    }

    /// The flow as the filter knows it.
    public nonisolated let value: NetworkFlow
    private let host: FilterHost
    private var inbound = Bytes()
    private var outbound = Bytes()
    private var dropped: FlowDropped?
    private var isClosed = false
    /// Whether a verdict wanted a report.
    private var isReported = false
    private var action = 1
    private var remedy: FlowDecision.Page?
    /// The questions that wait for `resumeFlow`, the oldest first.
    private var paused: [(number: Int, question: CheckedContinuation<Resumption, Never>)] = []
    private var lastPause = 0
    /// The number of questions without an answer.
    private var asking = 0
    /// Verdicts of `resumeFlow` that came before the answer that pauses the flow.
    private var early: [FlowVerdict] = []

    /// The end of a pause.
    private enum Resumption: Sendable {
        case verdict(FlowVerdict)
        /// The flow or its filter has ended.
        case ended
        case tooLate
    }

    init(_ value: NetworkFlow, _ host: FilterHost) { (self.value, self.host) = (value, host) }

    /// Whether the flow has not been dropped.
    public var isAllowed: Bool { dropped == nil }

    /// The bytes that have passed.
    public var passed: (inbound: Int, outbound: Int) { (inbound.offset, outbound.offset) }

    /// The bytes that wait for a decision.
    public var held: (inbound: Int, outbound: Int) { (inbound.held.count, outbound.held.count) }

    /// The page that a program gets in place of what was refused, in HTML.
    var page: String {
        guard let page = remedy, let url = page.url else { return "<p>The filter has refused this.</p>" }
        let button = Self.escaped(page.button ?? url)
        return "<p>The filter has refused this.</p><p><a href=\"\(Self.escaped(url))\">\(button)</a></p>"
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }

    /// The decision about a flow that the filter does not see.
    nonisolated var unfiltered: FlowDecision {
        FlowDecision(flow: value, subject: .newFlow, effect: .allowed, reason: .notFiltered)
    }

    /// Asks the filter about the flow itself.
    func decide() async {
        let verdict = await verdict(FilterNewFlow(value), .newFlow)
        guard let verdict, dropped == nil else { return }
        if verdict.kind == .data {
            if let peek = verdict.inboundPeek { (inbound.isFiltered, inbound.peek) = (true, peek) }
            if let peek = verdict.outboundPeek { (outbound.isFiltered, outbound.peek) = (true, peek) }
            action = 4
        }
        let effect: FlowDecision.Effect = verdict.kind == .data ? .filtered : .allowed
        var decision = decision(.newFlow, effect, .verdict)
        if verdict.kind == .appendToURL { decision.appended = await host.appendedText(verdict) }
        await report(decision, verdict, event: 1)
    }

    /// Gives bytes to the filter.
    ///
    /// - Returns: the bytes that may pass now, which may be fewer, or earlier ones.
    /// - Throws: `FlowDropped` if the filter has ended the flow.
    public func pass(_ bytes: [UInt8], _ direction: Direction) async throws(FlowDropped) -> [UInt8] {
        self[direction].held += bytes
        return try await release(direction)
    }

    /// Ends a direction: no more bytes come.
    ///
    /// - Returns: the bytes that may pass now. The others were held until the end, and the filter has let them pass.
    /// - Throws: `FlowDropped` if the filter has ended the flow.
    public func finish(_ direction: Direction) async throws(FlowDropped) -> [UInt8] {
        var passing = try await release(direction)
        guard self[direction].isFiltered else { return passing }
        let isInbound = direction == .inbound
        let subject: FlowDecision.Subject = isInbound ? .inbound : .outbound
        let verdict = await verdict(FilterDataComplete(value.number, isInbound: isInbound), subject)
        if let dropped { throw dropped }
        if let verdict { await report(decision(subject, .allowed, .verdict), verdict, event: 2) }
        self[direction].isFiltered = false
        passing += try await release(direction)
        return passing
    }

    /// Ends the flow after its last byte, or before.
    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        endPauses()
        let decision = decision(.end, .closed, .verdict)
        if dropped == nil { await host.report(decision, to: isReported ? report(event: 3) : nil) }
        await host.closed(value)
    }

    /// Drops the flow.
    func end(_ reason: FlowDecision.Reason) {
        if dropped == nil { dropped = FlowDropped(reason: reason) }
        endPauses()
    }

    /// Decides about the oldest paused question.
    func resume(_ verdict: FlowVerdict) {
        if !paused.isEmpty {
            paused.removeFirst().question.resume(returning: .verdict(verdict))
        } else if early.count < asking {
            early.append(verdict)
        }
    }

    /// The provider has ended, so nobody resumes the flow.
    func providerEnded() { endPauses() }

    private func endPauses() {
        for pause in paused { pause.question.resume(returning: .ended) }
        paused = []
    }

    private func endPause(_ number: Int) {
        guard let place = paused.firstIndex(where: { $0.number == number }) else { return }
        paused.remove(at: place).question.resume(returning: .tooLate)
    }

    // MARK: Bytes

    private subscript(_ direction: Direction) -> Bytes {
        get { direction == .inbound ? inbound : outbound }
        set { if direction == .inbound { inbound = newValue } else { outbound = newValue } }
    }

    /// Shows the filter what it wants to see of the held bytes, and returns those that may pass.
    private func release(_ direction: Direction) async throws(FlowDropped) -> [UInt8] {
        let isInbound = direction == .inbound
        var passing: [UInt8] = []
        while true {
            if let dropped { throw dropped }
            let bytes = self[direction]
            let count = bytes.isFiltered ? min(bytes.pass, bytes.held.count) : bytes.held.count
            passing += bytes.held[..<count]
            self[direction].held.removeFirst(count)
            self[direction].offset += count
            guard bytes.isFiltered else { return passing }
            self[direction].pass -= count
            let held = self[direction].held
            // A filter that has to decide sees a byte at least.
            let chunk = held.prefix(max(1, bytes.peek))
            guard self[direction].pass == 0, chunk.count > self[direction].shown else {
                guard held.count < host.settings.mostHeld else {
                    throw await fail(.tooManyBytes(held.count), direction)
                }
                return passing
            }
            self[direction].shown = chunk.count
            let question = FilterData(
                value.number, isInbound: isInbound, offset: self[direction].offset, bytes: Array(chunk))
            let verdict = await verdict(question, isInbound ? .inbound : .outbound)
            if let dropped { throw dropped }
            switch verdict?.kind {
            case .data:
                // The number comes from the extension: no sum of it may overflow.
                self[direction].pass = max(0, verdict?.pass ?? 0)
                self[direction].peek = max(0, verdict?.peek ?? 0)
                if self[direction].pass > 0 { self[direction].shown = 0 }
            default: self[direction].isFiltered = false
            }
            let effect: FlowDecision.Effect = verdict?.kind == .data ? .filtered : .allowed
            if let verdict {
                await report(decision(isInbound ? .inbound : .outbound, effect, .verdict), verdict, event: 2)
            }
        }
    }

    private func fail(_ reason: FlowDecision.Reason, _ direction: Direction) async -> FlowDropped {
        let failure = FlowDropped(reason: reason)
        dropped = failure
        await host.report(decision(direction == .inbound ? .inbound : .outbound, .dropped, reason), to: nil)
        return failure
    }

    // MARK: Verdicts

    /// Waits for the verdict that resumes the flow, at most for the limit of a pause.
    private func resumed() async -> FilterHost.Answer {
        guard dropped == nil, !isClosed else { return Self.endedInPause }
        if !early.isEmpty { return .verdict(early.removeFirst()) }
        lastPause += 1
        let (number, most) = (lastPause, host.settings.pauseLimit)
        let limit = Task { [weak self] in
            try await Task.sleep(for: most)
            await self?.endPause(number)
        }
        defer { limit.cancel() }
        switch await withCheckedContinuation({ paused.append((number, $0)) }) {
        case .verdict(let verdict): return .verdict(verdict)
        case .ended: return Self.endedInPause
        case .tooLate: return .failed("the provider has not resumed the flow within \(most)")
        }
    }

    private static let endedInPause = FilterHost.Answer.failed("the flow or its filter ended during a pause")

    /// Asks, waits while the flow is paused, and drops the flow if the verdict says so.
    ///
    /// - Returns: a verdict that lets the flow go on; nil if the flow was dropped, or goes on without a verdict.
    private func verdict<Message: PointMessage>(
        _ question: Message, _ subject: FlowDecision.Subject
    ) async -> FlowVerdict? where Message.Reply == FlowVerdict {
        asking += 1
        var answer = await host.answer(question, about: value)
        asking -= 1
        if case .verdict(let verdict) = answer, verdict.kind == .pause {
            answer = await resumed()
        }
        if early.count > asking { early.removeFirst(early.count - asking) }
        switch answer {
        case .verdict(let verdict):
            switch verdict.kind {
            case .allow, .data, .appendToURL: return verdict
            case .drop, .remediate:
                let isRemediated = verdict.kind == .remediate
                action = isRemediated ? 3 : 2
                if dropped == nil { dropped = FlowDropped(reason: .verdict) }
                var decision = decision(subject, isRemediated ? .remediated : .dropped, .verdict)
                if isRemediated {
                    remedy = await host.remediation(verdict)
                    decision.page = remedy
                }
                await report(decision, verdict, event: subject == .newFlow ? 1 : 2)
                return nil
            case .needRules, .pause, .unrecognized:
                return await without("the verdict \(verdict.kind.rawValue) does not answer the question", subject)
            }
        case .failed(let why): return await without(why, subject)
        }
    }

    /// Does what the host does with a flow that has no verdict.
    private func without(_ why: String, _ subject: FlowDecision.Subject) async -> FlowVerdict? {
        let failsOpen = host.settings.failsOpen
        if !failsOpen, dropped == nil { dropped = FlowDropped(reason: .failed(why)) }
        await host.report(decision(subject, failsOpen ? .allowed : .dropped, .failed(why)), to: nil)
        return nil
    }

    private func decision(
        _ subject: FlowDecision.Subject, _ effect: FlowDecision.Effect, _ reason: FlowDecision.Reason
    ) -> FlowDecision {
        FlowDecision(
            flow: value, subject: subject, effect: effect, reason: reason, inbound: inbound.offset,
            outbound: outbound.offset)
    }

    private func report(_ decision: FlowDecision, _ verdict: FlowVerdict, event: Int) async {
        if verdict.reports == true { isReported = true }
        await host.report(decision, to: verdict.reports == true ? report(event: event) : nil)
    }

    private func report(event: Int) -> FilterReport {
        FilterReport(value, action: action, event: event, inbound: inbound.offset, outbound: outbound.offset)
    }
}
