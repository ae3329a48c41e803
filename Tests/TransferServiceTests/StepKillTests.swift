// StepKillTests: the service ends after each step of the order of writes, once, and goes on.

import ExtensionPointKit
import Foundation
import LinuxSystem
import Testing
import TransferMessages

@testable import TransferService

/// The state of the disk at a moment is that of a service that was killed then: SQLite and the file system keep all that
/// was written. So a copy of the folder after a step is the folder of a service that ended there.
@Suite struct StepKillTests {
    private struct Moment {
        var step: TransferStep
        var folder: TemporaryDirectory
        /// The numbers of events that were acknowledged before.
        var acknowledged: Set<Int>
        var clock: Int
    }

    private static let file = fileBytes(5_000)
    private static let changed = fileBytes(4_321, version: 1)

    /// Performs a download whose first attempt is cut, and an upload; returns the folder after each step.
    private func story(changes: Bool) throws -> [Moment] {
        let fixture = try ServiceFixture()
        fixture.policy.syncInterval = 1_400
        var moments: [Moment] = []
        var acknowledged: Set<Int> = []
        fixture.faults.afterStep = { [unowned fixture] step in
            guard let copy = try? TemporaryDirectory(prefix: "exthost-killed") else { return }
            for name in ["transfers", "group"]
            where FileManager.default.fileExists(atPath: fixture.root.path + "/" + name) {
                try? FileManager.default.copyItem(
                    atPath: fixture.root.path + "/" + name, toPath: copy.path + "/" + name)
            }
            moments.append(Moment(step: step, folder: copy, acknowledged: acknowledged, clock: fixture.clock.now))
        }
        fixture.script = script(changes: changes)
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        let body = fixture.root.path + "/body"
        try Data(Self.file).write(to: URL(fileURLWithPath: body))
        let upload = try fixture.call(
            AddTransferTask(
                session: "s", kind: .upload, request: TransferRequest(url: "https://example.org/up", method: "POST"),
                file: PointFile(readingAt: body)), fixture.share)
        try FileManager.default.removeItem(atPath: body)
        try fixture.call(ResumeTransferTask(session: "s", task: try #require(upload.task)), fixture.share)
        fixture.run(60)
        let completions = try fixture.output.events(TransferCompletion.self)
        #expect(completions.count == 2)
        for completion in completions {
            // Before the call: the step `acknowledgementCommitted` is inside it.
            acknowledged.insert(completion.event)
            try fixture.call(AcknowledgeTransferEvent(session: "s", event: completion.event), fixture.share)
        }
        fixture.faults.afterStep = { _ in }
        #expect(fixture.files() == [])
        return moments
    }

    private func script(changes: Bool) -> (TransferAttempt) -> ScriptedEngine.Answer {
        var downloads = 0
        return { attempt in
            guard attempt.body == nil else { return .init(200, body: Array("thanks".utf8)) }
            downloads += 1
            if downloads == 1 { return .file(Self.file, tag: "\"v1\"", for: attempt, cut: 3_000) }
            return changes
                ? .file(Self.changed, tag: "\"v2\"", for: attempt) : .file(Self.file, tag: "\"v1\"", for: attempt)
        }
    }

    @Test(
        "BT-30, BT-31, BT-32: killed after any step, each transfer ends once, whole, and leaves nothing",
        arguments: [
            false, true,
        ], [false, true])
    func killed(changes: Bool, losesPower: Bool) throws {
        let moments = try story(changes: changes)
        #expect(Set(moments.map(\.step)) == Set(TransferStep.allCases))
        for moment in moments { try check(moment, changes: changes, losesPower: losesPower) }
    }

    @Test("BT-32: a whole file is delivered, though the time for it is over at the next start") func wholeAndLate()
        throws
    {
        let late: Set<TransferStep> = [.endCommitted, .fileRenamed, .folderSynced]
        for moment in try story(changes: false) where late.contains(moment.step) {
            let fixture = try ServiceFixture(root: moment.folder)
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

    private func check(_ moment: Moment, changes: Bool, losesPower: Bool) throws {
        let fixture = try ServiceFixture(root: moment.folder)
        fixture.clock.now = moment.clock
        if losesPower { fixture.policy.boot = "second" }
        fixture.script = { attempt in
            if attempt.body != nil { return .init(200, body: Array("thanks".utf8)) }
            return changes
                ? .file(Self.changed, tag: "\"v2\"", for: attempt) : .file(Self.file, tag: "\"v1\"", for: attempt)
        }
        try fixture.start()
        let client = ServiceFixture.client(7, "org.example.app", .app)
        let reply = try fixture.open(client)
        for task in reply.tasks where task.state == .suspended {
            try fixture.call(ResumeTransferTask(session: "s", task: task.number), client)
        }
        fixture.run(100)
        let completions = try fixture.output.events(TransferCompletion.self)
        let note: Comment = "killed after \(moment.step)"
        #expect(Set(completions.map(\.task)).count == completions.count, note)
        #expect(Set(completions.map(\.task)) == Set(reply.tasks.map(\.number)), note)
        for completion in completions {
            #expect(completion.fault == nil && completion.response?.status == 200, note)
            guard completion.kind == .download else {
                #expect(completion.bytes == Self.file.count && completion.body == Array("thanks".utf8), note)
                continue
            }
            let found = fixture.contents(completion.file)
            #expect(found == Self.file || changes && found == Self.changed, note)
        }
        try fixture.acknowledge(client)
        #expect(fixture.files() == [], note)
        try fixture.call(CloseTransferSession(session: "s"), client)
        #expect(try fixture.call(ListTransferSessions(), fixture.tool).sessions.isEmpty, note)
        #expect(fixture.service.isIdle, note)
    }
}
