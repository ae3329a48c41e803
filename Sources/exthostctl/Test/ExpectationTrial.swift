// ExpectationTrial: the check of one line `expect`, which waits for what is due, and reports what came instead.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import Scenarios

struct ExpectationTrial {
    let stage: TrialStage
    let begun: TrialStage.Begun?
    let limit: Duration
    let isVirtual: Bool

    /// - Throws: `TestFailure` with the expected and the actual state.
    func check(_ expectation: ScenarioExpectation) async throws {
        switch expectation {
        case .outcome(let kind, let cause): try await checkOutcome(kind, cause)
        case .item(let number, let path, let comparison, let value):
            try await checkItem(number, path, comparison, value)
        case .items(let count):
            let items = try await items()
            try require(items.count == count, "\(count) items", "\(items.count)")
        case .error(let domain, let code): try await checkError(domain, code)
        case .errorText(let text):
            let error = try await error()
            try require(
                error.localizedDescription.contains(text), "an error that says “\(text)”",
                "“\(error.localizedDescription)”")
        case .log(let patterns): try await checkLog(patterns)
        case .noLog(let patterns): try await checkNoLog(patterns)
        case .processes(let count): try await checkProcesses(count)
        case .noProcess: try await checkNoProcess()
        case .loads(let count): try await checkLoads(count)
        case .exit(let cause): try await checkExit(cause)
        case .output(let text):
            let found = try await stage.due(within: limit) { [stage] in await stage.printed.contains(text) }
            guard found != true else { return }
            throw failure(
                "output with “\(text)”", stage.printed.text.isEmpty ? "it printed nothing" : "it printed something else"
            )
        case .noOutput(let text):
            try await stage.settle()
            try require(!stage.printed.text.contains(text), "no output with “\(text)”", "it printed that")
        case .view(let name, let isEnabled): try await checkView(name, isEnabled)
        case .result(let result):
            let found = try await answer().result
            guard found.word != result else { return }
            throw failure(result.rawValue, found.word.rawValue, why: found.why)
        case .picture(let name): try await checkPicture(name)
        case .field(let text):
            let found = await stage.points?.field.text ?? ""
            try require(found == text, "the text “\(text)”", "“\(found)”")
        case .keyboard(let keyboard): try await checkKeyboard(keyboard)
        case .shown(let path, let comparison, let value): try await checkShown(path, comparison, value)
        case .transfers(let count): try await checkTransfers(count)
        case .file(let group, let path, let comparison, let value):
            try await checkFile(group, path, comparison, value)
        }
    }

    // MARK: The outcome

    private func request() throws -> ExtensionRequest {
        guard let begun else { throw failure("a request", "none has begun") }
        return begun.request
    }

    private func outcome() async throws -> RequestOutcome {
        let request = try request()
        let start = ContinuousClock.now
        if let outcome = try await stage.due(within: limit, { await request.outcome }) { return outcome }
        throw failure(
            "an outcome",
            ContinuousClock.now - start < limit
                ? "the request is open, and no pending event can end it"
                : "the request is open after \(ScenarioTrial.summary(limit))",
            why: "the extension has not answered",
            remedy: isVirtual
                ? "Answer on every path; a time limit expires only with a line advance"
                : "Answer on every path; or allow more time: limit DURATION")
    }

    private func checkOutcome(_ kind: OutcomeKind, _ cause: Cause?) async throws {
        let wanted = kind.rawValue + (cause.map { $0.rawValue == kind.rawValue ? "" : " (\($0.rawValue))" } ?? "")
        let outcome: RequestOutcome
        do {
            outcome = try await self.outcome()
        } catch var failure as TestFailure {
            failure.expected = wanted
            throw failure
        }
        guard outcome.kind != kind || (cause != nil && outcome.cause != cause) else { return }
        var failure = failure(wanted, ScenarioTrial.summary(outcome))
        if let explanation = await (try request()).explanation {
            (failure.why, failure.remedy) = (explanation.message, outcome.cause.advice ?? explanation.remedy)
        } else if case .cancelled(_, let error) = outcome {
            let error = error as NSError
            failure.why = "\(error.localizedDescription) (\(error.domain) \(error.code))"
            failure.remedy = outcome.cause.advice
        }
        throw failure
    }

    // MARK: What it answered

    private func items() async throws -> [NSExtensionItem] {
        let outcome = try await outcome()
        guard case .completed(let items) = outcome else {
            var failure = failure("returned items", ScenarioTrial.summary(outcome))
            if let explanation = await (try request()).explanation {
                (failure.why, failure.remedy) = (explanation.message, outcome.cause.advice ?? explanation.remedy)
            }
            throw failure
        }
        return items
    }

    private func checkItem(
        _ number: Int, _ path: [String], _ comparison: ScenarioExpectation.Comparison, _ value: ScenarioValue
    ) async throws {
        let items = try await items()
        let name = path.joined(separator: ".")
        let wanted = "item \(number) with \(name) \(comparison.rawValue) \(value)"
        guard items.indices.contains(number - 1) else {
            throw failure(wanted, items.isEmpty ? "it returned no item" : "it returned \(items.count) items")
        }
        let item = await JSON.item(items[number - 1])
        let found = item.value(at: path[...])
        guard !comparison.holds(found, value) else { return }
        if let found { throw failure(wanted, "\(name) is \(found.line)") }
        let there = item.leaves.filter { if case .null = $0.value { false } else { true } }.map {
            "\($0.path) = \($0.value.line)"
        }
        throw failure(wanted, there.isEmpty ? "an empty item" : "no \(name), but \(there.joined(separator: ", "))")
    }

    private func error() async throws -> NSError {
        let outcome = try await outcome()
        guard case .cancelled(_, let error) = outcome else {
            throw failure("an error from the extension", ScenarioTrial.summary(outcome))
        }
        return error as NSError
    }

    private func checkError(_ domain: String, _ code: Int?) async throws {
        let error = try await error()
        try require(
            error.domain == domain && (code == nil || error.code == code),
            "error \(domain)\(code.map { " \($0)" } ?? "")",
            "\(error.domain) \(error.code): \(error.localizedDescription)")
    }

    // MARK: What happened

    private func checkLog(_ patterns: [EventPattern]) async throws {
        let isThere = try await stage.find(within: limit) { records in
            EventPattern.found(patterns, in: records) == patterns.count ? true : nil
        }
        guard isThere == nil else { return }
        let count = EventPattern.found(patterns, in: try await stage.daemon.events())
        let missing = patterns[count]
        throw failure(
            patterns.map(\.description).joined(separator: ", "),
            count == 0 ? "no \(missing)" : "no \(missing) after \(patterns[count - 1])")
    }

    private func checkNoLog(_ patterns: [EventPattern]) async throws {
        try await stage.settle()
        let records = try await stage.daemon.events()
        guard let record = records.first(where: { record in patterns.contains { $0.matches(record) } }) else { return }
        throw failure(
            "no " + patterns.map(\.description).joined(separator: ", no "), UnexpectedEnd.summary(record),
            remedy: UnexpectedEnd.remedy(record))
    }

    /// Checks the number of processes that were started for this extension.
    private func checkProcesses(_ count: Int) async throws {
        try await stage.settle()
        let identifier = stage.identifier
        let started = try await stage.daemon.events().count {
            $0.event == EventName.processSpawned.rawValue && $0.extensionIdentifier == identifier
        }
        try require(started == count, "\(count) processes", "\(started) were started")
    }

    private func checkNoProcess() async throws {
        let identifier = stage.identifier
        let isGone = try await stage.find(within: limit) {
            TrialStage.running(in: $0, of: identifier).isEmpty ? true : nil
        }
        guard isGone == nil else { return }
        let running = try await stage.daemon.control.processes().filter { $0.extensionIdentifier == identifier }
            .map { "\($0.pid) (\($0.state))" }
        throw failure(
            "no process", "there is \(running.joined(separator: ", "))",
            remedy: isVirtual
                ? "A reserve process exits after its idle time: advance 5s"
                : "A reserve process exits after its idle time (3 s)")
    }

    private func checkLoads(_ count: Int) async throws {
        let identifier = try request().identifier
        let number: @Sendable ([EventRecord]) -> Int = { records in
            records.count { $0.event == EventName.itemLoadStarted.rawValue && $0.request == identifier }
        }
        _ = try await stage.find(within: limit) { number($0) >= count ? true : nil }
        try await stage.settle()
        let found = number(try await stage.daemon.events())
        try require(found == count, "\(count) loads", "\(found)")
    }

    private func checkExit(_ cause: Cause) async throws {
        let request = try request()
        guard let exit = try await stage.due(within: limit, { await request.exit }) else {
            throw failure(
                "its process to end: \(cause.rawValue)",
                isVirtual ? "it still runs" : "it still runs after \(ScenarioTrial.summary(limit))",
                remedy: isVirtual
                    ? "A reserve process exits after its idle time: advance 5s"
                    : "A reserve process exits after its idle time; limit 30s waits longer")
        }
        guard let record = exit?.record else {
            throw failure("its process to end: \(cause.rawValue)", "no process received it")
        }
        guard record.cause != cause else { return }
        let how = record.signal.map { " by signal \($0)" } ?? record.status.map { " with status \($0)" } ?? ""
        let why = await stage.lastDeath()
        throw failure(
            "its process to end: \(cause.rawValue)", "\(record.cause.rawValue)\(how)", why: why?.message,
            remedy: record.cause.advice ?? why?.remedy)
    }

    // MARK: The view

    /// The request of which an element is looked for: of several views of an intent, that with the element.
    private func shownRequest(_ name: String) async throws -> ExtensionRequest {
        guard let points = stage.points,
            case .intentView(let ending)?? = try await stage.due(within: limit, { try await points.answer })
        else { return try request() }
        let requests = ending.sessions.flatMap(\.views).map(\.request).filter(\.isOpen)
        let found = requests.first { $0.view?.all.contains { $0.answers(to: name) || $0.text == name } == true }
        return try found ?? requests.last ?? request()
    }

    private func checkView(_ name: String, _ isEnabled: Bool?) async throws {
        let request = try await shownRequest(name)
        let found = try await stage.due(within: limit) {
            await request.view { view in
                view.all.contains {
                    ($0.answers(to: name) || $0.text == name) && (isEnabled == nil || $0.isEnabled == isEnabled)
                }
            }
        }
        guard (found ?? nil) == nil else { return }
        let state = isEnabled.map { $0 ? " that is enabled" : " that is disabled" } ?? ""
        throw failure(
            "“\(name)”\(state) in the view",
            request.view.map { "\n" + TerminalSheet.text(of: $0) } ?? "it shows no view",
            remedy: "Name an element of the view by its name, title or text")
    }

    // MARK: Extension points

    private func answer() async throws -> PointStage.Answer {
        guard let points = stage.points, let found = try await stage.due(within: limit, { try await points.answer }),
            let answer = found
        else {
            throw failure(
                "an answer", "there is none", why: "the extension has not answered",
                remedy: isVirtual
                    ? "Answer on every path; a time limit expires only with a line advance"
                    : "Answer on every path; or allow more time: limit DURATION")
        }
        return answer
    }

    private func checkPicture(_ name: String) async throws {
        guard let points = stage.points else { throw failure("a picture", "there is no widget") }
        // The picture of an update is there with its answer.
        _ = try await stage.due(within: limit) { try await points.answer }
        guard let picture = await points.today.snapshot(stage.identifier) else {
            throw failure("“\(name)” in the picture", "there is no picture")
        }
        guard !picture.view.all.contains(where: { $0.answers(to: name) || $0.text == name }) else { return }
        throw failure("“\(name)” in the picture", "\n" + TerminalSheet.text(of: picture.view))
    }

    private func checkKeyboard(_ wanted: ShownKeyboard) async throws {
        // A keyboard that died is gone when its end has arrived, and the field has heard of it.
        try await stage.settle()
        await stage.points?.field.settle()
        let found: ShownKeyboard =
            switch await stage.points?.field.shown {
            case .custom: .custom
            case .system: .system
            case nil: .none
            }
        guard found != wanted else { return }
        throw failure(
            "the \(wanted.rawValue) keyboard", found.rawValue, why: await stage.points?.field.remarks.last)
    }

    private func checkShown(
        _ path: [String], _ comparison: ScenarioExpectation.Comparison, _ value: ScenarioValue
    ) async throws {
        let name = path.joined(separator: ".")
        let wanted = "\(name) \(comparison.rawValue) \(value)"
        let members: JSON
        switch try await answer() {
        case .update:
            throw failure("a shown notification, an edit, a load or a search", "the last answer is that of an update")
        case .edit(let ending): members = .object(ending.members)
        case .load(let load): members = .object(load.members)
        case .spotlight(let answer): members = .object(answer.members)
        case .imported(let ending): members = .object(ending.members)
        case .thumbnail(let ending): members = .object(ending.members)
        case .preview(let ending): members = .object(ending.members)
        case .conversation(let ending): members = .object(ending.members)
        case .page(let report): members = await report.json
        case .files(let answer): members = .object(answer.members)
        case .audio(let answer): members = .object(answer.members)
        case .tunnel(let answer): members = .object(answer.members)
        case .flow(let answer): members = .object(answer.members)
        case .notification(let answer): members = .object(answer.members)
        case .proxy(let answer): members = .object(answer.members)
        case .reload(let load): members = .object(load.members)
        case .lookup(let load, let found): members = .object(found?.members ?? load.members)
        case .message(let ending): members = .object(ending.members)
        case .report(let answer): members = .object(answer.members)
        case .intent(let ending): members = .object(ending.members)
        case .intentView(let ending): members = .object(ending.members)
        case .broadcast(let answer): members = .object(answer.members)
        case .setup(let ending): members = .object(ending.members)
        case .pick(let ending): members = .object(ending.members)
        case .action(let ending): members = .object(ending.members)
        case .credential(let ending): members = .object(ending.members)
        case .push(let shown):
            guard let content = shown.shown else { throw failure(wanted, "the notification is hidden") }
            members = JSON.content(content)
        }
        let found = members.value(at: path[...])
        guard !comparison.holds(found, value) else { return }
        throw failure(wanted, found.map { "\(name) is \($0.line)" } ?? "no \(name), but \(members.line)")
    }

    // MARK: Background transfers

    /// Returns the first found value that is accepted, or the last one at the limit.
    ///
    /// Nothing announces the progress of a transfer, or a file of an app. With a virtual clock the first value counts,
    /// unless a program works in real time.
    private func awaited<Value: Sendable>(
        _ find: @escaping @Sendable () async throws -> Value, until isAccepted: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        try await stage.settle()
        let found = try await stage.due(within: limit) {
            while true {
                let value = try await find()
                if isAccepted(value) { return value }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        if let found { return found }
        return try await find()
    }

    private func checkTransfers(_ count: Int) async throws {
        let (transfers, identifier) = (stage.transfers, stage.identifier)
        let sessions = try await awaited({ try await transfers.sessions(of: identifier) }) { sessions in
            sessions.left == count
        }
        guard sessions.left != count else { return }
        let list = sessions.filter { $0.unfinished + $0.finished > 0 }.map { session in
            let ends = "\(session.finished) with an end that nobody has got"
            return "\(printable(session.identifier)): \(session.unfinished) not ended, \(ends)"
        }
        let isWaiting = sessions.contains { $0.finished > 0 }
        throw failure(
            count == 0 ? "no background transfers" : "\(count) background transfers",
            list.isEmpty ? "none" : list.joined(separator: "; "),
            remedy: isWaiting
                ? "The app, or the extension, makes the session again and gets the ends"
                : isVirtual && sessions.left > count ? "advance lets the time of an answer pass" : nil)
    }

    private func checkFile(
        _ group: String, _ path: String, _ comparison: ScenarioExpectation.Comparison, _ value: ScenarioValue
    ) async throws {
        let wanted = "\(group)/\(path) \(comparison.rawValue) \(value)"
        let transfers = stage.transfers
        let holds: @Sendable (String?) -> Bool = { comparison.holds($0.map(JSON.string), value) }
        let text: String?
        do {
            text = try await awaited({ try transfers.text(ofGroup: group, path) }, until: holds)
        } catch let error as SystemError {
            throw failure(wanted, "the file cannot be read: \(error)", remedy: "Write a regular file of at most 16 MiB")
        }
        guard !holds(text) else { return }
        guard let text else {
            throw failure(
                wanted, "there is no such file",
                remedy: isVirtual ? "advance lets the time of an answer pass; the app moves a file that it gets" : nil)
        }
        let shown = text.count > 200 ? "\(text.prefix(200))…" : text
        throw failure(wanted, JSON.string(shown).line)
    }

    // MARK: Failures

    private func require(_ holds: Bool, _ expected: String, _ found: String) throws {
        if !holds { throw failure(expected, found) }
    }

    private func failure(_ expected: String, _ found: String, why: String? = nil, remedy: String? = nil) -> TestFailure
    {
        TestFailure(expected: expected, found: found, why: why, remedy: remedy)
    }
}
