// SessionTests: sessions, their clients, and who gets the events.

import ExtensionPointKit
import Foundation
import LinuxSystem
import Testing
import TransferMessages

@testable import TransferService

@Suite struct SessionTests {
    // spec: BT-15, BT-21
    @Test(
        "BT-1, BT-12, BT-13, BT-15, BT-21: a transfer outlives its extension; the app is woken, and gets file and events"
    )
    func outlives() throws {
        let fixture = try ServiceFixture()
        fixture.script = { attempt in
            var answer = ScriptedEngine.Answer.file(fileBytes(2_000), tag: "\"a\"", for: attempt)
            answer.delay = attempt.request.url.hasSuffix("slow") ? 20 : 5
            return answer
        }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        try fixture.download(fixture.share, "https://example.org/slow")
        fixture.service.clientGone(fixture.share.number)
        fixture.run(10)
        #expect(fixture.output.wakes.isEmpty)
        fixture.run(15)
        #expect(fixture.output.wakes.map(\.session) == ["s"])
        #expect(fixture.output.wakes.first?.app == ServiceFixture.app)
        #expect(fixture.output.sent.isEmpty)
        let reply = try fixture.open(fixture.main)
        #expect(reply.tasks.map(\.state) == [.finished, .finished])
        #expect(
            fixture.output.sent.map(\.name) == [
                TransferCompletion.name, TransferCompletion.name, TransferEventsFinished.name,
            ])
        let completions = try fixture.output.events(TransferCompletion.self, to: fixture.main.number)
        #expect(completions.map(\.task) == [1, 2])
        for completion in completions {
            #expect(fixture.contents(completion.file) == fileBytes(2_000))
            #expect(completion.response?.status == 200)
        }
        try fixture.acknowledge(fixture.main)
        fixture.output.wakes.first?.completion(.handled)
        #expect(fixture.output.wakes.count == 1)
        #expect(fixture.files() == [])
    }

    // spec: BT-2, BT-3
    @Test("BT-2, BT-3: an extension's session needs the container of one of its groups (−995)")
    func containers() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        for group in [nil, "group.other"] {
            let fault = try fixture.open(fixture.share, container: group).fault
            #expect(fault?.code == -995)
            #expect(throws: ExtensionHostError.self) { try fixture.download(fixture.share) }
        }
        #expect(try fixture.open(fixture.main, container: nil).fault == nil)
        #expect(try fixture.open(fixture.main, "t", container: "group.other").fault?.code == -995)
    }

    // spec: BT-4, BT-6, P-596
    @Test("BT-4, BT-6: one process uses a session at a time (−996); other apps have their own identifiers")
    func exclusion() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        #expect(try fixture.open(fixture.share).fault == nil)
        try fixture.download(fixture.share)
        #expect(try fixture.open(fixture.main).fault?.code == -996)
        #expect(throws: ExtensionHostError.self) { try fixture.call(ListTransferTasks(session: "s"), fixture.main) }
        #expect(try fixture.open(fixture.share).fault == nil)
        fixture.run()
        #expect(try fixture.output.events(TransferCompletion.self, to: fixture.share.number).count == 1)
        var other = ServiceFixture.client(3, "org.other", .app)
        other.app = "org.other"
        #expect(try fixture.open(other, container: ServiceFixture.group).tasks.isEmpty)
        fixture.service.clientGone(fixture.share.number)
        #expect(try fixture.open(fixture.main).fault == nil)
    }

    @Test("BT-15, BT-21: each file is in the container that its task has begun with, and goes to clients of that group")
    func changedContainers() throws {
        let fixture = try ServiceFixture()
        let other = fixture.root.path + "/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        let both: Set<String> = [ServiceFixture.group, ServiceFixture.otherGroup]
        let share = ServiceFixture.client(1, "org.example.app.share", .extension, groups: both)
        try fixture.start()
        try fixture.open(share)
        try fixture.download(share)
        fixture.run(1)
        try fixture.open(share, container: ServiceFixture.otherGroup)
        try fixture.download(share)
        fixture.run(1)
        fixture.service.clientGone(1)
        try fixture.start()
        // The app has one of the two groups.
        try fixture.open(fixture.main)
        let seen = try fixture.output.events(TransferCompletion.self, to: 2)
        #expect(seen.map(\.container) == [ServiceFixture.group])
        #expect(fixture.contents(seen.first?.file) == Array("hello".utf8))
        #expect(try fixture.open(fixture.main).tasks.map(\.number) == [1])
        try fixture.acknowledge(fixture.main)
        fixture.service.clientGone(2)
        let app = ServiceFixture.client(3, "org.example.app", .app, groups: both)
        try fixture.open(app, container: nil)
        let last = try fixture.output.events(TransferCompletion.self, to: 3)
        #expect(last.map(\.task) == [2] && last.map(\.container) == [ServiceFixture.otherGroup])
        #expect(fixture.contents(last.first?.file, in: other) == Array("hello".utf8))
        try fixture.acknowledge(app)
        #expect(fixture.files() == [])
    }

    @Test("BT-13: a task that nobody resumes keeps no app from being woken, and ends when its time is over (−1001)")
    func suspendedTasks() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        try fixture.open(fixture.share) { $0.resourceTimeout = 1_000 }
        let request = TransferRequest(url: "https://example.org/a")
        try fixture.call(AddTransferTask(session: "s", kind: .download, request: request), fixture.share)
        try fixture.download(fixture.share)
        fixture.service.clientGone(1)
        fixture.run(1)
        #expect(fixture.output.wakes.map(\.session) == ["s"])
        fixture.output.wakes[0].completion(.handled)
        try fixture.open(fixture.main) { $0.resourceTimeout = 1_000 }
        #expect(fixture.output.sent.map(\.name) == [TransferCompletion.name, TransferEventsFinished.name])
        try fixture.acknowledge(fixture.main)
        fixture.service.clientGone(2)
        // The program may end meanwhile.
        #expect(fixture.service.isIdle)
        try fixture.start()
        fixture.run(1_000)
        #expect(fixture.output.wakes.count == 2)
        fixture.output.sent = []
        try fixture.open(fixture.main)
        #expect(try fixture.output.events(TransferCompletion.self).map(\.fault?.code) == [-1001])
        try fixture.acknowledge(fixture.main)
        fixture.service.clientGone(2)
        #expect(fixture.service.deadline == nil && fixture.files() == [])
    }

    @Test("BT-12: an extension that still runs gets the events, and nobody is woken")
    func stillRunning() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(10)
        #expect(try fixture.output.events(TransferCompletion.self, to: 1).count == 1)
        #expect(try fixture.output.events(TransferEventsFinished.self).isEmpty)
        try fixture.acknowledge(fixture.share)
        fixture.service.clientGone(1)
        #expect(fixture.output.wakes.isEmpty)
    }

    @Test("BT-14: an app is not woken while transfers are running")
    func stillTransferring() throws {
        let fixture = try ServiceFixture()
        fixture.script = { attempt in
            var answer = ScriptedEngine.Answer(200)
            answer.delay = attempt.task == 1 ? 0 : 100
            return answer
        }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        try fixture.download(fixture.share)
        fixture.service.clientGone(1)
        fixture.run(50)
        #expect(fixture.output.wakes.isEmpty)
        // An app that is opened by its user gets what there is, without the end of events.
        try fixture.open(fixture.main)
        #expect(fixture.output.sent.map(\.name) == [TransferCompletion.name])
        fixture.run(60)
        #expect(try fixture.output.events(TransferEventsFinished.self).isEmpty)
    }

    // spec: BT-19
    @Test("BT-19: without sessionSendsLaunchEvents the events wait for the next session")
    func quietSessions() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        try fixture.open(fixture.share) { $0.sendsLaunchEvents = false }
        try fixture.download(fixture.share)
        fixture.service.clientGone(1)
        fixture.run(1_000)
        #expect(fixture.output.wakes.isEmpty)
        try fixture.open(fixture.main)
        #expect(try fixture.output.events(TransferCompletion.self, to: 2).count == 1)
    }

    @Test("BT-22: a tool gives the events to the app though the extension runs, or keeps them for an extension")
    func receivers() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.call(DeliverTransferEvents(TransferSessionName(identifier: "s"), to: .app), fixture.tool)
        try fixture.download(fixture.share)
        fixture.run(1)
        #expect(try fixture.output.events(TransferCompletion.self).isEmpty)
        #expect(fixture.output.wakes.count == 1)
        #expect(try fixture.open(fixture.main).fault == nil)
        #expect(try fixture.output.events(TransferSessionLost.self, to: 1).map(\.fault.code) == [-997])
        #expect(fixture.output.sent.suffix(2).map(\.name) == [TransferCompletion.name, TransferEventsFinished.name])
        try fixture.acknowledge(fixture.main)
        fixture.service.clientGone(2)
        // And the other way.
        fixture.output.sent = []
        try fixture.open(fixture.main)
        try fixture.call(DeliverTransferEvents(TransferSessionName(identifier: "s"), to: .extension), fixture.tool)
        try fixture.download(fixture.main)
        fixture.service.clientGone(2)
        fixture.run(1)
        try fixture.open(fixture.main)
        #expect(try fixture.output.events(TransferCompletion.self).isEmpty)
        fixture.run(100)
        #expect(fixture.output.wakes.count == 1)
        #expect(try fixture.open(fixture.share).fault == nil)
        #expect(try fixture.output.events(TransferCompletion.self, to: 1).count == 1)
    }

    // spec: BT-23
    @Test("BT-23: events come until they are acknowledged, to one process at a time, also from a new service")
    func redelivery() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        try fixture.open(fixture.share)
        for _ in 0..<3 { try fixture.download(fixture.share) }
        fixture.run(1)
        let first = try fixture.output.events(TransferCompletion.self, to: 1)
        #expect(first.map(\.task) == [1, 2, 3])
        try fixture.call(AcknowledgeTransferEvent(session: "s", event: first[1].event), fixture.share)
        // The extension crashes.
        fixture.service.clientGone(1)
        #expect(fixture.output.wakes.count == 1)
        try fixture.start()
        fixture.output.sent = []
        try fixture.open(fixture.main)
        #expect(
            try fixture.output.events(TransferCompletion.self, to: 2).map(\.event) == [first[0].event, first[2].event])
        #expect(throws: ExtensionHostError.self) {
            try fixture.call(AcknowledgeTransferEvent(session: "s", event: first[0].event), fixture.share)
        }
        try fixture.acknowledge(fixture.main)
        fixture.service.clientGone(2)
        fixture.output.sent = []
        try fixture.open(fixture.main)
        #expect(fixture.output.sent.isEmpty)
    }

    // spec: BT-23
    @Test("BT-23: a wake that fails is tried again later each time, five times, though the app uses the session")
    func failedWakes() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.service.clientGone(1)
        fixture.run(1)
        for failure in 1...6 {
            #expect(fixture.output.wakes.count == failure)
            try fixture.open(fixture.main)
            fixture.service.clientGone(2)
            fixture.output.wakes[failure - 1].completion(.later)
            // It opens the session once more, without a wake.
            try fixture.open(fixture.main)
            fixture.run(5)
            #expect(fixture.service.deadline.map { $0 > fixture.clock.now } ?? true)
            fixture.service.clientGone(2)
            fixture.run(Double(60 << (failure - 1)) - 6)
            #expect(fixture.output.wakes.count == failure)
            #expect(fixture.service.hasNothing(of: ServiceFixture.app))
            fixture.run(7)
        }
        fixture.run(100_000)
        #expect(fixture.output.wakes.count == 6 && fixture.service.isIdle)
        // An event that was dealt with begins the number anew.
        try fixture.call(DeliverTransferEvents(TransferSessionName(identifier: "s"), to: .app), fixture.tool)
        #expect(fixture.output.wakes.count == 7)
        fixture.output.wakes[6].completion(.later)
        fixture.run(61)
        #expect(fixture.output.wakes.count == 8)
        fixture.output.wakes[7].completion(.handled)
        fixture.run(1000)
        #expect(fixture.output.wakes.count == 8)
    }

    @Test func anAppThatCannotReadAnEventIsWokenOnceForIt() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.service.clientGone(1)
        fixture.run(1)
        let stranger = ServiceFixture.client(2, "org.example.app", .app, groups: [])
        try fixture.open(stranger, container: nil)
        try fixture.acknowledge(stranger)
        fixture.output.wakes[0].completion(.handled)
        fixture.service.clientGone(2)
        fixture.run(1000)
        try fixture.start()
        fixture.run(1000)
        #expect(fixture.output.wakes.count == 1)
        #expect(fixture.service.hasNothing(of: ServiceFixture.app))
    }

    @Test func aWakeThatNobodyHandledIsRepeatedAtTheNextEnd() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.service.clientGone(1)
        fixture.run(1)
        fixture.output.wakes[0].completion(.expired)
        fixture.run(100)
        #expect(fixture.output.wakes.count == 1)
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        fixture.service.clientGone(1)
        fixture.run(1)
        #expect(fixture.output.wakes.count == 2)
        fixture.output.wakes[1].completion(.noApp)
        try fixture.call(DeliverTransferEvents(TransferSessionName(identifier: "s"), to: .app), fixture.tool)
        #expect(fixture.output.wakes.count == 3)
    }

    // spec: BT-26
    @Test("BT-26: repeated wakes delay tasks that are started in the background, if that is on")
    func wakeDelays() throws {
        let fixture = try ServiceFixture()
        fixture.policy.delaysAfterWakes = true
        fixture.policy.discretionaryDelay = 0
        try fixture.start()
        var woken = fixture.main
        woken.isInBackground = true
        var waits: [Int] = []
        for _ in 0..<5 {
            try fixture.open(woken)
            try fixture.download(woken)
            let start = fixture.clock.now
            fixture.service.clientGone(2)
            while fixture.output.wakes.isEmpty { fixture.run(1) }
            waits.append((fixture.clock.now - start) / 1_000_000_000 / 60 * 60)
            fixture.output.wakes.removeLast().completion(.handled)
        }
        #expect(waits == [0, 0, 0, 60, 120])
        try fixture.open(fixture.main)
        #expect(fixture.service.sessions.values.map(\.value.wakes) == [0])
    }

    @Test("BT-34: the removal of an app cancels its transfers and deletes what they have")
    func removal() throws {
        let fixture = try ServiceFixture()
        fixture.script = { .file(fileBytes(3_000), tag: "\"a\"", for: $0, cut: $0.task == 1 ? nil : 1_000) }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(0.5)
        #expect(fixture.files().count == 2)
        fixture.service.appRemoved(ServiceFixture.app)
        #expect(fixture.files() == [])
        #expect(try fixture.output.events(TransferSessionLost.self, to: 1).count == 1)
        let attempts = fixture.engine.attempts.count
        fixture.run(1_000)
        #expect(fixture.engine.attempts.count == attempts)
        #expect(try fixture.call(ListTransferSessions(), fixture.tool).sessions.isEmpty)
        #expect(fixture.service.isIdle && fixture.service.deadline == nil)
    }

    @Test("BT-34: a removal that is cut short leaves nothing at the next start") func removalCutShort() throws {
        let fixture = try ServiceFixture()
        fixture.script = { .file(fileBytes(3_000), tag: "\"a\"", for: $0, cut: $0.task == 1 ? nil : 1_000) }
        let left = try TemporaryDirectory(prefix: "exthost-left")
        fixture.faults.afterStep = { [unowned fixture] step in
            guard step == .sessionRemoved else { return }
            for name in ["transfers", "group"] {
                try? FileManager.default.copyItem(
                    atPath: fixture.root.path + "/" + name, toPath: left.path + "/" + name)
            }
        }
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.download(fixture.share)
        try fixture.download(fixture.share)
        fixture.run(0.5)
        fixture.service.appRemoved(ServiceFixture.app)
        #expect(FileManager.default.fileExists(atPath: left.path + "/group"))
        let again = try ServiceFixture(root: left)
        #expect(again.files().count == 2)
        try again.start()
        #expect(again.files() == [] && again.service.isIdle)
        #expect(try again.call(ListTransferSessions(), again.tool).sessions.isEmpty)
    }

    @Test func strangersAndToolsGetClearErrors() throws {
        let fixture = try ServiceFixture()
        try fixture.start()
        for (name, plist) in [
            ("transfers.fly", PropertyList.dictionary([:])), ("transfers.openSession", ["configuration": 1]),
            ("transfers.list", [:]), ("transfers.resume", ["session": "s", "task": 1]),
        ] {
            fixture.service.call(name, EncodedValue(plist: plist), from: fixture.share) { answer in
                #expect(throws: ExtensionHostError.self, "\(name)") { try answer.get() }
            }
        }
        #expect(throws: ExtensionHostError.self) {
            try fixture.call(ShowTransferSession(TransferSessionName(identifier: "s")), fixture.tool)
        }
        #expect(throws: ExtensionHostError.self) { try fixture.open(fixture.share, String(repeating: "x", count: 257)) }
        #expect(throws: ExtensionHostError.self) { try fixture.open(fixture.tool) }
        fixture.policy.sessions = 2
        fixture.policy.tasks = 2
        try fixture.start()
        try fixture.open(fixture.share)
        try fixture.open(fixture.share, "t")
        #expect(throws: ExtensionHostError.self) { try fixture.open(fixture.share, "u") }
        for _ in 0..<2 {
            try fixture.call(
                AddTransferTask(session: "s", kind: .download, request: TransferRequest(url: "http://a/")),
                fixture.share)
        }
        #expect(throws: ExtensionHostError.self) { try fixture.download(fixture.share) }
    }
}
