// StepKillTests: the service, or the machine, ends after each step of the order of writes, once, and goes on.

import ExtensionPointKit
import Foundation
import LinuxSystem
import Testing
import TransferMessages

@testable import TransferService

/// The state of the disk after a kill is a copy of the folder: SQLite and the file system keep all that was written. After
/// a loss of power it is what `DiskModel` says. The expected tasks are those of the author's ledger, never the service's.
@Suite struct StepKillTests {
    /// What the service has acknowledged to the author, and what the author has asked for without an answer yet.
    private struct Ledger {
        var kinds: [Int: TransferKind] = [:]
        var resumed: Set<Int> = []
        var acknowledged: Set<Int> = []
        /// The kind of the task that is being added, and the one whose event is being acknowledged.
        var adding: TransferKind?
        var acknowledging: Int?
    }

    private struct Moment {
        var step: TransferStep
        /// What is left of the folder.
        var left: TemporaryDirectory
        /// The syncs so far, for another end after a kill.
        var disk: DiskModel
        var ledger: Ledger
        var clock: Int
    }

    /// The author of the transfers.
    private final class Author {
        let fixture: ServiceFixture
        let client: TransferClient
        var ledger = Ledger()

        init(_ fixture: ServiceFixture, _ client: TransferClient) { (self.fixture, self.client) = (fixture, client) }

        func add(_ kind: TransferKind, body: String? = nil) throws {
            ledger.adding = kind
            let request = TransferRequest(url: "https://example.org/a", method: kind == .upload ? "POST" : "GET")
            let file = try body.map { try PointFile(readingAt: $0) }
            let task = try #require(
                try fixture.call(AddTransferTask(session: "s", kind: kind, request: request, file: file), client).task)
            ledger.kinds[task] = kind
            ledger.adding = nil
            try resume(task)
        }

        func resume(_ task: Int) throws {
            try fixture.call(ResumeTransferTask(session: "s", task: task), client)
            ledger.resumed.insert(task)
        }

        func acknowledge(_ completion: TransferCompletion) throws {
            ledger.acknowledging = completion.task
            try fixture.call(AcknowledgeTransferEvent(session: "s", event: completion.event), client)
            ledger.acknowledging = nil
            ledger.acknowledged.insert(completion.task)
        }
    }

    private static let file = fileBytes(5_000)
    private static let changed = fileBytes(4_321, version: 1)

    /// Performs a download whose first attempt is cut, and an upload; returns what is left after each step.
    private func story(changes: Bool, _ loss: Loss) throws -> [Moment] {
        let fixture = try ServiceFixture()
        defer { fixture.end() }
        let bodies = try TemporaryDirectory(prefix: "exthost-body")
        defer { try? bodies.remove() }
        let disk = try DiskModel(fixture.root.path)
        fixture.policy.syncInterval = 1_400
        fixture.policy.copySlice = 2_000
        let author = Author(fixture, fixture.share)
        var moments: [Moment] = []
        var failure: (any Error)?
        fixture.faults.synced = { raw in
            do { try disk.record(raw) } catch { failure = error }
        }
        fixture.faults.afterStep = { [unowned fixture] step in
            do {
                let left = try TemporaryDirectory(prefix: "exthost-left")
                try disk.copy(after: loss, to: left.path)
                moments.append(
                    Moment(
                        step: step, left: left, disk: try disk.model(ofCopy: left.path), ledger: author.ledger,
                        clock: fixture.clock.now))
            } catch {
                failure = error
            }
        }
        fixture.script = script(changes: changes)
        try fixture.start()
        try fixture.open(fixture.share)
        try author.add(.download)
        let body = bodies.path + "/body"
        try Data(Self.file).write(to: URL(fileURLWithPath: body))
        try author.add(.upload, body: body)
        // What is sent is a copy.
        try Data("changed".utf8).write(to: URL(fileURLWithPath: body))
        fixture.run(60)
        let completions = try fixture.output.events(TransferCompletion.self)
        #expect(completions.count == 2)
        for completion in completions { try author.acknowledge(completion) }
        // The session has nothing more, and is forgotten.
        fixture.service.clientGone(fixture.share.number)
        fixture.faults.afterStep = { _ in }
        #expect(fixture.files() == [])
        if let failure { throw failure }
        return moments
    }

    private func script(changes: Bool) -> (TransferAttempt) -> ScriptedEngine.Answer {
        var downloads = 0
        return { attempt in
            guard attempt.body == nil else { return Self.thanks(attempt) }
            downloads += 1
            if downloads == 1 { return .file(Self.file, tag: "\"v1\"", for: attempt, cut: 3_000) }
            return changes
                ? .file(Self.changed, tag: "\"v2\"", for: attempt) : .file(Self.file, tag: "\"v1\"", for: attempt)
        }
    }

    /// The answer to an upload, which tells whether its body was right.
    private static func thanks(_ attempt: TransferAttempt) -> ScriptedEngine.Answer {
        let sent = attempt.body.flatMap { try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/fd/\($0)")) }
        var answer = ScriptedEngine.Answer(
            200, body: Array((sent.map { [UInt8]($0) } == file ? "thanks" : "garbage").utf8))
        // It is under way while the download goes on.
        answer.delay = 3
        return answer
    }

    // spec: BT-31
    @Test(
        "BT-30, BT-31, BT-32: after any step, a kill or a loss of power loses, doubles and mixes nothing, and leaves nothing",
        arguments: [false, true], Loss.allCases)
    func ends(changes: Bool, loss: Loss) throws {
        let moments = try story(changes: changes, loss)
        #expect(Set(moments.map(\.step)) == Set(TransferStep.allCases))
        for moment in moments { try check(moment, changes: changes, loss) }
    }

    @Test("BT-32: a whole file is delivered, though the time for it is over at the next start") func wholeAndLate()
        throws
    {
        let late: Set<TransferStep> = [.endCommitted, .fileRenamed, .folderSynced]
        for moment in try story(changes: false, .killed) {
            let fixture = try ServiceFixture(root: moment.left)
            guard late.contains(moment.step) else { continue }
            fixture.clock.now = moment.clock
            fixture.clock.advance(8 * 86_400)
            fixture.script = { _ in .init(nil) }
            try fixture.start()
            try fixture.open(ServiceFixture.client(7, "org.example.app", .app))
            fixture.run(1)
            let completions = try fixture.output.events(TransferCompletion.self).filter { $0.kind == .download }
            #expect(completions.count == 1 && completions[0].fault == nil, "killed after \(moment.step)")
            #expect(fixture.contents(completions[0].file) == Self.file)
        }
    }

    /// Starts the service on what is left, and lets the author go on.
    private func restart(_ root: TemporaryDirectory, _ moment: Moment, changes: Bool, boot: String) throws
        -> ServiceFixture
    {
        let fixture = try ServiceFixture(root: root)
        fixture.clock.now = moment.clock
        fixture.policy.boot = boot
        fixture.script = { attempt in
            if attempt.body != nil { return Self.thanks(attempt) }
            return changes
                ? .file(Self.changed, tag: "\"v2\"", for: attempt) : .file(Self.file, tag: "\"v1\"", for: attempt)
        }
        return fixture
    }

    private func check(_ moment: Moment, changes: Bool, _ loss: Loss) throws {
        let disk = loss == .killed ? moment.disk : nil
        let fixture = try restart(moment.left, moment, changes: changes, boot: loss == .killed ? "first" : "second")
        disk?.hold()
        if let disk { fixture.faults.synced = { try? disk.record($0) } }
        let note = "\(loss) after \(moment.step)"
        try fixture.start()
        let client = ServiceFixture.client(7, "org.example.app", .app)
        let author = Author(fixture, client)
        try goOn(author, moment.ledger, note)
        // The machine loses its power when the author has heard of all, and has acknowledged nothing.
        if let disk {
            for second in [Loss.unsyncedIsAbsent, .unsyncedIsGarbage] {
                let last = try TemporaryDirectory(prefix: "exthost-last")
                try disk.copy(after: second, to: last.path)
                let again = try restart(last, moment, changes: changes, boot: "third")
                again.script = { _ in .init(nil) }
                try again.start()
                try goOn(Author(again, client), moment.ledger, "\(note), then \(second)")
            }
        }
        for completion in try fixture.output.events(TransferCompletion.self) { try author.acknowledge(completion) }
        for event in try fixture.output.events(TransferEventsFinished.self) {
            try fixture.call(AcknowledgeTransferEvent(session: "s", event: event.event), client)
        }
        #expect(fixture.files() == [], "\(note)")
        try fixture.call(CloseTransferSession(session: "s"), client)
        #expect(try fixture.call(ListTransferSessions(), fixture.tool).sessions.isEmpty, "\(note)")
        #expect(fixture.service.isIdle, "\(note)")
    }

    /// Opens the session, lets what there is run, and compares the ends with the ledger.
    private func goOn(_ author: Author, _ ledger: Ledger, _ note: String) throws {
        let fixture = author.fixture
        let reply = try fixture.open(author.client)
        let found = Dictionary(uniqueKeysWithValues: reply.tasks.map { ($0.number, $0) })
        for (number, kind) in ledger.kinds where !ledger.acknowledged.contains(number) {
            if found[number] == nil, ledger.acknowledging == number { continue }
            #expect(found[number]?.kind == kind, "\(note): the task \(number) is lost")
            if ledger.resumed.contains(number) {
                #expect(found[number]?.state != .suspended, "\(note): the resumption of \(number) is lost")
            }
        }
        let unknown = found.keys.filter { ledger.kinds[$0] == nil || ledger.acknowledged.contains($0) }
        #expect(unknown.count <= (ledger.adding == nil ? 0 : 1), "\(note): \(unknown) came out of nothing")
        for number in unknown { #expect(found[number]?.kind == ledger.adding, "\(note)") }
        for task in reply.tasks where task.state == .suspended { try author.resume(task.number) }
        fixture.run(100)
        let completions = try fixture.output.events(TransferCompletion.self)
        #expect(completions.map(\.task).sorted() == found.keys.sorted(), "\(note): lost or doubled")
        for completion in completions {
            #expect(completion.fault == nil && completion.response?.status == 200, "\(note)")
            guard completion.kind == .download else {
                #expect(completion.bytes == Self.file.count && completion.body == Array("thanks".utf8), "\(note)")
                continue
            }
            let contents = fixture.contents(completion.file)
            #expect(contents == Self.file || contents == Self.changed, "\(note): \(contents?.count ?? -1) bytes")
        }
    }
}
