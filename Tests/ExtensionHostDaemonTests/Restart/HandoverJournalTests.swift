// HandoverJournalTests: what is written down is what a successor reads, whatever end the writing came to; nothing else
// is believed.

import EventLoop
import ExtensionPoints
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import ExtensionHostDaemon

@Suite struct HandoverJournalTests {
    init() { LoopThread.start() }

    private static let process = HandedProcess(
        number: 3, extensionIdentifier: "org.example.share", path: "/apps/A.app/PlugIns/S.appex", root: 4242,
        rootStart: 77,
        started: 9,
        sandbox: "namespaces,landlock:7,seccomp", inodes: [11, 12, 13, 14])
    private static let host = HandedHost(
        name: "notes", token: Array(0..<16), pid: 99, user: 1000, state: .background)
    private static let request = HandedRequest(
        request: RequestIdentifier(), number: 12, extensionIdentifier: "org.example.share", host: "notes", process: 3,
        began: 5,
        timeout: 2.5)

    private static var ended: HandedRequest {
        var ended = request
        ended.end = .requestTimeout
        return ended
    }

    private static var ready: HandedProcess {
        var ready = process
        (ready.isReady, ready.pid) = (true, 4243)
        return ready
    }

    /// Of the system's daemon, with limits.
    private static var anns: HandedProcess {
        var anns = ready
        anns.number = 4
        anns.identity = UserIdentity(uid: 1001, gid: 1001, groups: [27, 44])
        anns.limits = ResourceLimits([.memory: .limit(64 << 20), .tasks: .limit(32)])
        anns.reached = [.tasks]
        anns.groups = [
            HandedGroup(
                path: "/sys/fs/cgroup/memory/exthost-kept-9-77/1-a", version: 1, limitsMemory: true, limitsTasks: false),
            HandedGroup(
                path: "/sys/fs/cgroup/unified/exthost-kept-trees-9-77/1-a", version: 2, limitsMemory: false,
                limitsTasks: false),
        ]
        return anns
    }
    private static let ann = HandedHost(
        name: "1001/notes", token: Array(16..<32), pid: 98, user: 1001,
        identity: UserIdentity(uid: 1001, gid: 1001, groups: [44, 27]),
        state: .active)

    static let story: [JournalRecord] = [
        .numbers(process: 2, request: 11), .host(host), .process(process), .process(ready), .request(request),
        .request(ended),
        .requestClosed(request.request), .processEnded(3), .hostGone("notes"), .host(ann), .process(anns),
        .served(4, host: "1001/notes"), .processEnded(4),
    ]

    private static func bytes(_ records: some Sequence<JournalRecord>) -> [UInt8] {
        JournalRecord.mark + records.flatMap(\.bytes)
    }

    private static func state(_ records: some Sequence<JournalRecord>) throws -> HandedState {
        var state = HandedState()
        for record in records { try state.take(record) }
        return state
    }

    @Test func whatIsWrittenIsWhatIsRead() throws {
        for count in 0...Self.story.count {
            let records = Self.story.prefix(count)
            let state = try JournalRecord.read(Self.bytes(records))
            #expect(state == (try Self.state(records)))
            // Written anew as a whole it is the same.
            #expect(try JournalRecord.read(Self.bytes(state.records)) == state)
        }
    }

    /// Table: each record, and what is there after it.
    @Test func eachRecordChangesWhatItNames() throws {
        var state = HandedState()
        let rows: [(JournalRecord, (HandedState) -> Bool)] = [
            (Self.story[0], { $0.lastProcess == 2 && $0.lastRequest == 11 && $0.isEmpty }),
            (Self.story[1], { $0.hosts["notes"]?.state == .background }),
            (Self.story[2], { $0.processes[3]?.isReady == false && $0.lastProcess == 3 }),
            (Self.story[3], { $0.processes[3]?.pid == 4243 && $0.processes[3]?.isReady == true }),
            (Self.story[4], { $0.requests[Self.request.request]?.end == nil && $0.lastRequest == 12 }),
            (Self.story[5], { $0.requests[Self.request.request]?.end == .requestTimeout }),
            (Self.story[6], { $0.requests.isEmpty }),
            (Self.story[7], { $0.processes.isEmpty && $0.lastProcess == 3 }),
            (Self.story[8], { $0.isEmpty && $0.lastRequest == 12 }),
            (Self.story[9], { $0.hosts["1001/notes"]?.identity?.groups == [27, 44] }),
            (
                Self.story[10],
                {
                    $0.processes[4]?.identity == $0.hosts["1001/notes"]?.identity
                        && $0.processes[4]?.limits[.tasks] == 32
                }
            ),
            (Self.story[11], { $0.served[4] == ["1001/notes"] && $0.processes[4]?.groups.count == 2 }),
            (Self.story[12], { $0.processes.isEmpty && $0.served[4] == nil }),
        ]
        for (record, holds) in rows {
            try state.take(record)
            #expect(holds(state), "\(record)")
        }
    }

    @Test func aHostThatGoesTakesItsRequestsAlong() throws {
        let state = try Self.state([
            .host(Self.host), .process(Self.process), .served(3, host: "notes"), .request(Self.request),
            .hostGone("notes"),
        ])
        #expect(state.requests.isEmpty && state.served.isEmpty)
    }

    /// A daemon is killed at any byte of its writing: the record that is not whole is as if it had never been begun.
    @Test func aTornLastRecordIsPassedOver() throws {
        let whole = Self.bytes(Self.story)
        var borders: [Int] = [JournalRecord.mark.count]
        for record in Self.story { borders.append(borders[borders.count - 1] + record.bytes.count) }
        for length in 0...whole.count {
            let records = Self.story.prefix(max(0, borders.filter { $0 <= length }.count - 1))
            #expect(try JournalRecord.read(Array(whole.prefix(length))) == (try Self.state(records)), "\(length) bytes")
        }
    }

    /// Any byte but those of the last record, changed: nothing is believed.
    @Test func damageIsFound() throws {
        let whole = Self.bytes(Self.story)
        let last = whole.count - (Self.story.last?.bytes.count ?? 0)
        for place in 0..<last {
            for bit in [0x01, 0x80] as [UInt8] {
                var damaged = whole
                damaged[place] ^= bit
                do {
                    // A length that leads beyond the end is taken for a record that is not whole.
                    let state = try JournalRecord.read(damaged)
                    #expect(Self.isPrefix(state), "byte \(place)")
                } catch {
                    #expect(error.offset <= place)
                }
            }
        }
    }

    private static func isPrefix(_ state: HandedState) -> Bool {
        (0...story.count).contains { (try? Self.state(story.prefix($0))) == state }
    }

    @Test func randomBytesHarmNobody() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var bytes = Self.bytes(Self.story)
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                bytes[Int.random(in: 8..<bytes.count, using: &generator)] = UInt8.random(
                    in: .min ... .max, using: &generator)
            }
            if Bool.random(using: &generator) {
                bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
            }
            _ = try? JournalRecord.read(bytes)
        }
    }

    private static var rootsOwn: HandedProcess {
        var process = anns
        process.identity = UserIdentity(uid: 0, gid: 0)
        return process
    }
    private static var elsewhere: HandedProcess {
        var process = anns
        process.groups[0].path = "memory/1-a"
        return process
    }

    @Test(
        arguments: [
            .process(
                HandedProcess(
                    number: 1, extensionIdentifier: "a", path: "/", root: 1, rootStart: 0, started: 0, sandbox: "none",
                    inodes: []
                )),
            .process(
                HandedProcess(
                    number: 1, extensionIdentifier: "a", path: "/", root: 5, rootStart: 0, started: 0, sandbox: "none",
                    inodes: [1])),
            .process(
                HandedProcess(
                    number: .max, extensionIdentifier: "a", path: "/", root: 5, rootStart: 0, started: 0,
                    sandbox: "none",
                    inodes: [])),
            .process(rootsOwn),
            .process(elsewhere),
            .host(HandedHost(name: "", token: Array(0..<16), pid: 2, user: 0, state: .active)),
            .host(HandedHost(name: "a", token: [1], pid: 2, user: 0, state: .active)),
            .numbers(process: -1, request: 0),
        ] as [JournalRecord])
    func whatCannotBeIsRefused(record: JournalRecord) {
        #expect(throws: JournalDamage.self) { try JournalRecord.read(Self.bytes([record])) }
    }

    @Test func othersFilesAreNotRead() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-journal")
        defer { try? folder.remove() }
        let path = folder.path + "/kept.journal"
        try Data(Self.bytes(Self.story.prefix(5))).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        #expect(try await Task { @HostActor in try HandoverJournal(path: path).readBack() }.value.requests.count == 1)
        chmod(path, 0o622)
        await #expect(throws: JournalDamage.self) {
            try await Task { @HostActor in try HandoverJournal(path: path).readBack() }.value
        }
        try FileManager.default.moveItem(atPath: path, toPath: path + ".real")
        symlink(path + ".real", path)
        await #expect(throws: SystemError.self) {
            try await Task { @HostActor in try HandoverJournal(path: path).readBack() }.value
        }
    }

    /// Much is written, little is left: so is the file.
    @Test func aJournalIsWrittenAnewBeforeItGrows() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-journal")
        defer { try? folder.remove() }
        let path = folder.path + "/kept.journal"
        let left = await Task { @HostActor in
            let journal = HandoverJournal(path: path)
            journal.begin(with: HandedState())
            journal.append(.host(Self.host))
            for _ in 0..<5_000 {
                var request = Self.request
                request.request = RequestIdentifier()
                journal.append(.request(request))
                journal.append(.requestClosed(request.request))
            }
            journal.append(.request(Self.request))
            return journal.state
        }.value
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size < 512 * 1024)
        let read = try await Task { @HostActor in try HandoverJournal(path: path).readBack() }.value
        #expect(read == left && read.requests.count == 1 && read.lastRequest == 12)
    }
}
