// BoundTests: the limits of what clients may store and use.

import ExtensionPointKit
import Foundation
import LinuxSystem
import Testing
import TransferMessages

@testable import TransferService

@Suite struct BoundTests {
    private func code(_ body: () throws -> Void) -> ExtensionHostError.Code? {
        do { try body() } catch { return (error as? ExtensionHostError)?.code }
        return nil
    }

    @Test func anAppHasSoManyTasksAndEndsThatNobodyAcknowledges() throws {
        let fixture = try ServiceFixture()
        fixture.policy.tasksOfApp = 3
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.open(fixture.share, "t")
        for session in ["s", "t", "s"] { try fixture.download(fixture.share, session: session) }
        #expect(code { try fixture.download(fixture.share) } == .quotaExceeded)
        fixture.run(1)
        #expect(code { try fixture.download(fixture.share, session: "t") } == .quotaExceeded)
        let other = ServiceFixture.client(3, "org.other", .app, app: "org.other")
        try fixture.open(other)
        try fixture.download(other)
        try fixture.acknowledge(fixture.share, session: "s")
        #expect(code { try fixture.download(fixture.share) } == nil)
    }

    @Test func aDescriptionOfATaskHasABound() throws {
        let fixture = try ServiceFixture()
        fixture.policy.labelSize = 10
        try fixture.start()
        try fixture.open(fixture.share)
        func add(_ label: String) throws -> Int {
            let request = TransferRequest(url: "https://example.org/a")
            let call = AddTransferTask(session: "s", kind: .download, request: request, label: label)
            return try #require(try fixture.call(call, fixture.share).task)
        }
        #expect(code { _ = try add("12345678901") } == .payloadTooLarge)
        let task = try add("1234567890")
        #expect(
            code {
                try fixture.call(ResumeTransferTask(session: "s", task: task, label: "12345678901"), fixture.share)
            } == .payloadTooLarge)
        #expect(try fixture.call(ListTransferTasks(session: "s"), fixture.share).tasks.map(\.state) == [.suspended])
    }

    @Test func anAppKeepsSoManyPartsForResumeData() throws {
        let fixture = try ServiceFixture()
        fixture.policy.keptParts = 1
        fixture.script = { attempt in
            var answer = ScriptedEngine.Answer.file(fileBytes(5_000), tag: "\"a\"", for: attempt, cut: 2_000)
            answer.duration = 10
            return answer
        }
        try fixture.start()
        try fixture.open(fixture.share)
        for _ in 0..<2 { try fixture.download(fixture.share) }
        fixture.run(1)
        let data = try (1...2).map {
            try fixture.call(CancelTransferTask(session: "s", task: $0, producesResumeData: true), fixture.share)
                .resumeData
        }
        #expect(data[0] != nil && data[1] == nil)
        let faults = try fixture.output.events(TransferCompletion.self).compactMap(\.fault)
        #expect(faults.map(\.code) == [-999, -999])
        #expect(faults[1].message.contains("1 parts for resume data"), "\(faults[1].message)")
    }

    @Test func oneAppDoesNotTakeAllAttempts() throws {
        let fixture = try ServiceFixture()
        (fixture.policy.attempts, fixture.policy.attemptsOfApp) = (4, 3)
        fixture.script = { _ in
            var answer = ScriptedEngine.Answer(200)
            answer.duration = 10
            return answer
        }
        try fixture.start()
        try fixture.open(fixture.share)
        for _ in 0..<6 { try fixture.download(fixture.share) }
        fixture.service.step()
        #expect(fixture.engine.attempts.map(\.task) == [1, 2, 3])
        let other = ServiceFixture.client(3, "org.other", .app, app: "org.other")
        try fixture.open(other)
        for _ in 0..<4 { try fixture.download(other) }
        fixture.service.step()
        #expect(fixture.engine.attempts.map(\.task) == [1, 2, 3, 7])
        // The app with the fewest attempts is next, though its tasks are younger.
        fixture.run(10)
        #expect(fixture.engine.attempts.dropFirst(4).prefix(4).map(\.task).sorted() == [4, 5, 8, 9])
        fixture.run(100)
        #expect(try fixture.output.events(TransferCompletion.self).count == 10)
    }

    // MARK: The files of uploads

    private func add(_ file: String, _ fixture: ServiceFixture) throws -> AddTransferTask.Reply {
        try fixture.call(
            AddTransferTask(
                session: "s", kind: .upload, request: TransferRequest(url: "https://example.org/up", method: "POST"),
                file: PointFile(readingAt: file)), fixture.share)
    }

    @Test func anUploadSendsWhatItsFileWasWhenTheTaskWasAdded() throws {
        let fixture = try ServiceFixture()
        let file = fixture.container + "/body"
        try Data(fileBytes(9_000)).write(to: URL(fileURLWithPath: file))
        var sent: [UInt8]?
        fixture.script = { attempt in
            sent = attempt.body.flatMap { try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/fd/\($0)")) }
                .map { [UInt8]($0) }
            return .init(200)
        }
        var synced: [String] = []
        fixture.faults.synced = { raw in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(raw)")
            synced.append(path.map { URL(fileURLWithPath: $0).pathExtension } ?? "")
        }
        try fixture.start()
        try fixture.open(fixture.share)
        synced = []
        let task = try #require(try add(file, fixture).task)
        #expect(synced == ["body", ""])
        // The author writes into the same file again.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.write(contentsOf: Data(repeating: 0, count: 9_000))
        try handle.close()
        try fixture.call(ResumeTransferTask(session: "s", task: task), fixture.share)
        fixture.run(1)
        #expect(sent == fileBytes(9_000))
        try FileManager.default.removeItem(atPath: file)
        try fixture.acknowledge(fixture.share)
        #expect(fixture.files() == [])
    }

    @Test func aLargeFileIsCopiedInSlicesBetweenWhichOthersAreServed() throws {
        let fixture = try ServiceFixture()
        fixture.policy.copySlice = 1_000
        let file = fixture.root.path + "/body"
        try Data(fileBytes(9_500)).write(to: URL(fileURLWithPath: file))
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.open(fixture.main, "t")
        let call = AddTransferTask(
            session: "s", kind: .upload, request: TransferRequest(url: "https://example.org/up", method: "POST"),
            file: try PointFile(readingAt: file))
        var answers: [Result<EncodedValue, any Error>] = []
        let arguments = try PointEncoder.encode(call)
        fixture.service.call(AddTransferTask.name, arguments, from: fixture.share) { answers.append($0) }
        guard answers.isEmpty else { return }  // The file system shares blocks.
        #expect(!fixture.service.isIdle && fixture.service.deadline == fixture.clock.now)
        try fixture.download(fixture.main, session: "t")
        fixture.service.step()
        fixture.service.step()
        #expect(try fixture.output.events(TransferCompletion.self, to: 2).count == 1 && answers.isEmpty)
        for _ in 0..<10 { fixture.service.step() }
        #expect(answers.count == 1)
        // A client that goes ends the copy.
        fixture.service.call(AddTransferTask.name, arguments, from: fixture.share) { answers.append($0) }
        fixture.service.clientGone(1)
        #expect(fixture.files().filter { $0.hasSuffix(".body") }.count == 1)
        try fixture.open(fixture.share)
        try fixture.call(StopTransfers(TransferSessionName(identifier: "s")), fixture.tool)
        try fixture.acknowledge(fixture.share)
        #expect(fixture.files().filter { $0.hasSuffix(".body") } == [] && answers.count == 1)
    }

    @Test func aFileThatCannotBeCopiedIsRefusedWithItsReason() throws {
        let fixture = try ServiceFixture()
        let file = fixture.root.path + "/body"
        try Data(fileBytes(9_000)).write(to: URL(fileURLWithPath: file))
        fixture.faults.freeBytes = { 8_999 }
        try fixture.start()
        try fixture.open(fixture.share)
        let full = try add(file, fixture)
        if full.task == nil {
            #expect(full.fault?.code == -3003 && full.fault?.message.contains("no room") == true)
        }
        #expect(code { _ = try add(fixture.root.path, fixture) } == .invalidArgument)
        #expect(fixture.files().filter { $0.hasSuffix(".body") }.count == (full.task == nil ? 0 : 1))
    }

    @Test func aSizeThatCannotBeReadIsNoAbsence() throws {
        let root = try TemporaryDirectory(prefix: "exthost-size")
        defer { try? root.remove() }
        #expect(try TransferFolder.finishedSize("a", in: root.path) == nil)
        #expect(throws: SystemError.self) {
            try TransferFolder.finishedSize("a", in: root.path + "/" + String(repeating: "x", count: 300))
        }
    }
}
