// TaskTests: the life of a task.

import ExtensionPointKit
import Foundation
import Glibc
import Testing
import TransferMessages

@testable import TransferService

@Suite struct TaskTests {
    // spec: BT-7
    @Test(
        "BT-7, BT-35: another scheme is refused with −1002, and a client without the network with −1020, which is told")
    func refusals() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        var client = fixture.share
        client.mayUseNetwork = false
        try fixture.open(client)
        func refusal(_ url: String) throws -> Int? {
            let call = AddTransferTask(session: "s", kind: .download, request: TransferRequest(url: url))
            return try fixture.call(call, client).fault?.code
        }
        #expect(try refusal("ftp://example.org/a") == -1002)
        #expect(fixture.output.denied.isEmpty)
        #expect(try refusal("https://example.org/a") == -1020)
        #expect(fixture.output.denied == ["org.example.app.share https://example.org/a"])
        fixture.run(100)
        #expect(fixture.engine.attempts.isEmpty)
    }

    // spec: BT-11
    @Test("BT-11: an answer with status 404 or 500 is no error", arguments: [404, 500])
    func statuses(status: Int) throws {
        let fixture = try ServiceFixture()
        fixture.script = { _ in .init(status, body: Array("no".utf8)) }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(1)
        let completion = try #require(try fixture.output.events(TransferCompletion.self).first)
        #expect(completion.fault == nil && completion.response?.status == status)
        #expect(fixture.contents(completion.file) == Array("no".utf8))
    }

    @Test func anAnswer503IsTriedAgainAsTheServerAsksAndIsTheAnswerInTheEnd() throws {
        let fixture = try ServiceFixture()
        fixture.script = { _ in .init(503, headers: [TransferHeader("Retry-After", "500")]) }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(499)
        #expect(fixture.engine.attempts.count == 1)
        fixture.run(2)
        #expect(fixture.engine.attempts.count == 2)
        fixture.run(500 * 4 + 1)
        #expect(fixture.engine.attempts.count == 6)
        let completion = try #require(try fixture.output.events(TransferCompletion.self).first)
        #expect(completion.fault == nil && completion.response?.status == 503)
    }

    // spec: BT-24
    @Test("BT-24: earliestBeginDate holds a task back, over a restart of the service, too")
    func earliest() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        try fixture.open(fixture.share)
        let call = AddTransferTask(
            session: "s", kind: .download, request: TransferRequest(url: "https://example.org/a"),
            earliestBegin: Double(VirtualClock.start + 3_600))
        let task = try #require(try fixture.call(call, fixture.share).task)
        try fixture.call(ResumeTransferTask(session: "s", task: task), fixture.share)
        fixture.run(1_800)
        try fixture.start()
        fixture.run(1_799)
        #expect(fixture.engine.attempts.isEmpty)
        fixture.run(1)
        #expect(fixture.engine.attempts.count == 1)
    }

    @Test("BT-25: tasks of an app in the background, and of discretionary sessions, wait for 60 s or for permission")
    func discretion() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        var background = fixture.main
        background.isInBackground = true
        try fixture.open(background)
        try fixture.open(background, "t") { $0.isDiscretionary = true }
        try fixture.download(background)
        fixture.run(59)
        #expect(fixture.engine.attempts.isEmpty)
        fixture.run(1)
        #expect(fixture.engine.attempts.count == 1)
        try fixture.download(background, session: "t")
        try fixture.download(background)
        try fixture.call(AllowTransfers(TransferSessionName(identifier: "t")), fixture.tool)
        #expect(fixture.engine.attempts.count == 2)
        try fixture.call(AllowTransfers(nil), fixture.tool)
        #expect(fixture.engine.attempts.count == 3)
    }

    // spec: BT-27
    @Test("BT-27: a broken connection is tried again until the time for the resource is over (−1001)")
    func resourceTimeout() throws {
        let fixture = try ServiceFixture()
        fixture.script = { _ in .init(nil) }
        try fixture.start()
        try fixture.open(fixture.share) { $0.resourceTimeout = 2_000 }
        try fixture.download(fixture.share)
        fixture.run(1_999)
        #expect((11...18).contains(fixture.engine.attempts.count))
        #expect(try fixture.output.events(TransferCompletion.self).isEmpty)
        fixture.run(1)
        #expect(try fixture.output.events(TransferCompletion.self).first?.fault?.code == -1001)
        #expect(fixture.files() == [])
    }

    // spec: BT-28
    @Test("BT-28: a download goes on where it was, with Range and If-Range, also in a new service")
    func goingOn() throws {
        let fixture = try ServiceFixture()
        let file = fileBytes(200_000)
        var cut: Int? = 150_000
        fixture.script = { .file(file, tag: "\"a\"", for: $0, cut: cut) }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(0.1)
        cut = nil
        try fixture.start()
        try fixture.open(fixture.main)
        fixture.run(10)
        #expect(fixture.engine.attempts.map(\.offset) == [150_000])
        #expect(fixture.engine.attempts.map(\.validator) == ["\"a\""])
        #expect(try fixture.output.events(TransferContinuation.self, to: 2).map(\.offset) == [150_000])
        let completion = try #require(try fixture.output.events(TransferCompletion.self).first)
        #expect(fixture.contents(completion.file) == file && completion.response?.status == 200)
    }

    @Test("BT-28: without a strong tag a download starts anew", arguments: [nil, "W/\"a\"", "a"])
    func weakTags(tag: String?) throws {
        let fixture = try ServiceFixture()
        var cut: Int? = 3_000
        fixture.script = { .file(fileBytes(5_000), tag: tag, for: $0, cut: cut) }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(0.1)
        cut = nil
        fixture.run(10)
        #expect(fixture.engine.attempts.map(\.offset) == [0, 0])
        let completion = try #require(try fixture.output.events(TransferCompletion.self).first)
        #expect(fixture.contents(completion.file) == fileBytes(5_000))
    }

    @Test func aFileOfAnotherLengthThanAnnouncedIsNoFile() throws {
        let fixture = try ServiceFixture()
        var length = 4_000
        fixture.script = { _ in
            .init(200, headers: [TransferHeader("Content-Length", "\(length)")], body: fileBytes(5_000))
        }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(0.1)
        length = 6_000
        fixture.run(1.5)
        #expect(fixture.engine.attempts.count == 2)
        #expect(try fixture.output.events(TransferCompletion.self).isEmpty)
        length = 5_000
        fixture.run(10)
        let completion = try #require(try fixture.output.events(TransferCompletion.self).first)
        #expect(fixture.contents(completion.file) == fileBytes(5_000))
    }

    // spec: BT-33
    @Test("BT-33: resume data lets another process of the family go on, once; other data is refused with −1")
    func resumeData() throws {
        let fixture = try ServiceFixture()
        fixture.script = { attempt in
            var answer = ScriptedEngine.Answer.file(
                fileBytes(5_000), tag: "\"a\"", for: attempt, cut: attempt.offset == 0 ? 2_000 : nil)
            answer.duration = 10
            return answer
        }
        try fixture.start()
        try fixture.open(fixture.share)
        let first = try fixture.download(fixture.share)
        fixture.run(1)
        let cancelled = try fixture.call(
            CancelTransferTask(session: "s", task: first, producesResumeData: true), fixture.share)
        let data = try #require(cancelled.resumeData)
        let completion = try #require(try fixture.output.events(TransferCompletion.self).first)
        #expect(completion.fault?.code == -999 && completion.fault?.resumeData == data)
        func add(_ data: [UInt8], _ client: TransferClient) throws -> AddTransferTask.Reply {
            try fixture.call(
                AddTransferTask(session: "t", kind: .download, request: TransferRequest(url: ""), resumeData: data),
                client)
        }
        try fixture.start()
        try fixture.open(fixture.main, "t")
        for bad in [[], [1, 2, 3], Array(data.dropLast())] {
            #expect(try add(bad, fixture.main).fault?.code == -1)
        }
        var stranger = ServiceFixture.client(5, "org.other", .app)
        stranger.app = "org.other"
        try fixture.open(stranger, "t")
        #expect(try add(data, stranger).fault?.code == -1)
        for offset in [2_000, 0] {
            let task = try #require(try add(data, fixture.main).task)
            try fixture.call(ResumeTransferTask(session: "t", task: task), fixture.main)
            #expect(fixture.engine.attempts.last?.offset == offset)
            fixture.run(30)
            let completion = try #require(try fixture.output.events(TransferCompletion.self).last { $0.task == task })
            #expect(fixture.contents(completion.file) == fileBytes(5_000))
        }
        // A part that nobody resumes does not stay for ever.
        try fixture.acknowledge(fixture.main, session: "t")
        fixture.run(100_000)
        #expect(fixture.files() == [])
    }

    // spec: BT-36
    @Test(
        "BT-36: a full disk keeps the part for 60 s, and gets one more try if there is space", arguments: [true, false])
    func fullDisk(hasRoomAgain: Bool) throws {
        let fixture = try ServiceFixture()
        var isFull = false
        fixture.script = {
            isFull = $0.offset == 0
            return .file(fileBytes(5_000), tag: "\"a\"", for: $0)
        }
        var pieces = 0
        fixture.faults.writeError = {
            pieces += 1
            return isFull && pieces > 3 ? ENOSPC : nil
        }
        fixture.faults.freeBytes = { hasRoomAgain ? 1 << 30 : 100 }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(59)
        #expect(fixture.engine.attempts.count == 1 && fixture.files().count == 1)
        #expect(try fixture.output.events(TransferCompletion.self).isEmpty)
        fixture.run(1)
        let completion = try #require(try fixture.output.events(TransferCompletion.self).first)
        if hasRoomAgain {
            #expect(fixture.engine.attempts.map(\.offset) == [0, 2_100])
            #expect(fixture.contents(completion.file) == fileBytes(5_000))
        } else {
            #expect(completion.fault?.code == -3003)
            #expect(fixture.files() == [])
        }
    }

    @Test("BT-36: a disk that is full twice fails the task with −3003")
    func fullTwice() throws {
        let fixture = try ServiceFixture()
        fixture.faults.writeError = { ENOSPC }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(61)
        #expect(try fixture.output.events(TransferCompletion.self).first?.fault?.code == -3003)
        #expect(fixture.engine.attempts.count == 2 && fixture.files() == [])
    }

    @Test("BT-36: what a failed sync may have lost is received again") func failedSync() throws {
        let fixture = try ServiceFixture()
        var syncs = 0
        fixture.faults.syncError = {
            syncs += 1
            // The first is that of the store's folder at the start, the second that of the part.
            return syncs == 2 ? ENOSPC : nil
        }
        fixture.script = { .file(fileBytes(5_000), tag: "\"a\"", for: $0) }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(61)
        #expect(fixture.engine.attempts.map(\.offset) == [0, 0])
        let completion = try #require(try fixture.output.events(TransferCompletion.self).first)
        #expect(completion.fault == nil && fixture.contents(completion.file) == fileBytes(5_000))
    }

    // spec: BT-37
    @Test("BT-37: progress comes at most ten times a second, and the last always")
    func progress() throws {
        let fixture = try ServiceFixture()
        let file = fileBytes(70_000)
        // 100 pieces, 4 ms of the clock apart: 0.4 s.
        fixture.faults.afterStep = { [unowned fixture] in if $0 == .bytesWritten { fixture.clock.advance(0.004) } }
        fixture.script = { .file(file, tag: nil, for: $0) }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(1)
        let events = try fixture.output.events(TransferProgress.self)
        #expect((3...6).contains(events.count))
        #expect(events.last?.bytes == 70_000 && events.last?.expected == 70_000)
        #expect(events.reduce(0) { $0 + $1.added } == 70_000)
        #expect(fixture.output.sent.last?.name == TransferCompletion.name)
    }

    @Test func aTaskCanBeSuspendedListedAndStopped() throws {
        let fixture = try ServiceFixture()
        fixture.script = { attempt in
            var answer = ScriptedEngine.Answer.file(fileBytes(5_000), tag: "\"a\"", for: attempt)
            answer.duration = 100
            return answer
        }
        try fixture.start()
        try fixture.open(fixture.share)
        let task = try fixture.download(fixture.share)
        fixture.run(1)
        try fixture.call(SuspendTransferTask(session: "s", task: task), fixture.share)
        fixture.run(1_000)
        let tasks = try fixture.call(ListTransferTasks(session: "s"), fixture.share).tasks
        #expect(tasks.map(\.state) == [.suspended] && tasks.map(\.bytes) == [5_000])
        try fixture.call(ResumeTransferTask(session: "s", task: task), fixture.share)
        #expect(fixture.engine.attempts.last?.offset == 5_000)
        // All bytes are there: 416 completes it.
        fixture.run(200)
        #expect(try fixture.output.events(TransferCompletion.self).first?.fault == nil)
        try fixture.acknowledge(fixture.share)
        for _ in 0..<2 { try fixture.download(fixture.share) }
        try fixture.call(StopTransfers(TransferSessionName(identifier: "s"), task: 3), fixture.tool)
        let record = try fixture.call(ShowTransferSession(TransferSessionName(identifier: "s")), fixture.tool)
        #expect(record.session.unfinished == 1 && record.session.user == fixture.share.identifier)
        try fixture.call(StopTransfers(TransferSessionName(identifier: "s")), fixture.tool)
        #expect(try fixture.output.events(TransferCompletion.self).suffix(2).map(\.fault?.code) == [-999, -999])
        try fixture.acknowledge(fixture.share)
        #expect(fixture.files() == [])
    }

    @Test func aHostNameHasSoManyConnectionsAtATime() throws {
        let fixture = try ServiceFixture()
        fixture.script = { _ in
            var answer = ScriptedEngine.Answer(200)
            answer.duration = 10
            return answer
        }
        try fixture.start()
        try fixture.open(fixture.share) { $0.connectionsPerHost = 2 }
        for _ in 0..<5 { try fixture.download(fixture.share) }
        try fixture.download(fixture.share, "https://example.net/")
        fixture.service.step()
        #expect(fixture.engine.attempts.map(\.task) == [1, 2, 6])
        fixture.run(30)
        #expect(try fixture.output.events(TransferCompletion.self).count == 6)
    }

    /// The container belongs to the extension, which may be hostile: a link there leads the service nowhere.
    @Test func aLinkInTheContainerIsNotFollowed() throws {
        let fixture = try ServiceFixture()
        let outside = fixture.root.path + "/outside"
        for folder in ["/outside", "/group/Library"] {
            try FileManager.default.createDirectory(
                atPath: fixture.root.path + folder, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: fixture.container + "/Library/Caches", withDestinationPath: outside)
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(1)
        #expect(try fixture.output.events(TransferCompletion.self).first?.fault?.code == -3005)
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
    }
}
