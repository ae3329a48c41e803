// StreamTests: streams between a host and an extension, through shared memory and through the daemon (spec PC-22).

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Glibc
import Locks
import Testing

/// The entries of a stream that a host has received, and its ends.
final class Received: Sendable {
    private let state = Mutex(State())

    private struct State {
        var entries: [[UInt8]] = []
        var ends: [(any Error)?] = []
    }

    var entries: [[UInt8]] { state.withLock { $0.entries } }
    /// The ends: nil while there is none.
    var end: ExtensionHostError.Code?? {
        state.withLock { state in
            guard let end = state.ends.first, state.ends.count == 1 else { return nil }
            guard let end else { return .some(nil) }
            return .some((end as? ExtensionHostError)?.code ?? .unrecognized)
        }
    }

    func add(_ entries: [[UInt8]]) { state.withLock { $0.entries += entries } }
    func end(_ error: (any Error)?) { state.withLock { $0.ends.append(error) } }
}

@Suite struct StreamTests {
    /// The reason for the way of a stream's entries.
    enum Way: String, Sendable, CaseIterable {
        case ring, virtualClock, recording

        var clock: TestDaemon.ClockKind { self == .virtualClock ? .virtual : .real }
    }

    private static func with(
        _ way: Way, _ body: (TestDaemon, ExtensionRequest) async throws -> Void
    ) async throws {
        try await CallTests.withCaller(clock: way.clock) { daemon, host in
            let recorder = try await DaemonControl.connect(name: "recorder", to: daemon.address)
            if way == .recording { try await recorder.record(contents: false, onEntries: { _ in }) }
            try await body(daemon, try await host.begin(CallTests.caller, items: []))
            withExtendedLifetime(recorder) {}
        }
    }

    static func open(
        _ request: ExtensionRequest, _ way: Attend.Way = .echo, capacity: Int = 1 << 16
    ) async throws -> (PointStream, Received) {
        let received = Received()
        let (stream, offer) = try await request.makeStream(
            capacity: capacity, onEntries: { received.add($0) }, onClose: { received.end($0) })
        try await request.call(Attend(offer, way))
        return (stream, received)
    }

    /// Runs code that may block on a thread of its own: tasks share as many threads as there are processors.
    static func blocking(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            Thread { done.resume(with: Result(catching: body)) }.start()
        }
    }

    /// Entries of all sizes up to `most`, each beginning with its number.
    static func entries(_ count: Int, most: Int) -> [[UInt8]] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { number in
            let size = Bool.random() ? Int.random(in: 0...64) : Int.random(in: 0...most)
            var entry = withUnsafeBytes(of: UInt32(number)) { Array($0) }
            while entry.count + 8 <= size { withUnsafeBytes(of: generator.next()) { entry += $0 } }
            return Array(entry.prefix(most))
        }
    }

    private static func streamCalls(_ daemon: TestDaemon) async throws -> Int {
        try await daemon.events().count {
            $0.event == EventName.callStarted.rawValue && $0.detail?.contains("stream.entries") == true
        }
    }

    // spec: PC-22
    @Test("PC-22: the same entries come back in the same order, by either way", arguments: Way.allCases)
    func entriesKeepTheirOrder(_ way: Way) async throws {
        try await Self.with(way) { daemon, request in
            let (stream, received) = try await Self.open(request)
            let sent = Self.entries(1_500, most: 30_000)
            // A thread that may block: the stream holds less than all of them.
            try await Self.blocking { try stream.send(sent) }
            try await eventually { received.entries.count == sent.count }
            #expect(received.entries == sent)
            let calls = try await Self.streamCalls(daemon)
            #expect(way == .ring ? calls == 0 : calls > 0, "\(calls)")
            stream.close()
            try await eventually { received.end == .some(nil) }
            try await eventually { try await request.call(History()).texts.last == "closed well" }
            #expect(throws: ExtensionHostError.self) { try stream.send([[1]]) }
        }
    }

    // spec: PC-22
    @Test("PC-22: a full stream takes no more, and goes on when its reader does", arguments: Way.allCases)
    func aFullStreamWaits(_ way: Way) async throws {
        try await Self.with(way) { daemon, request in
            let (stream, _) = try await Self.open(request, .hold, capacity: 4096)
            let entry = [UInt8](repeating: 65, count: 400)
            // The extension holds what it has got, and the stream no more than its capacity.
            var sent = 0
            try await eventually {
                let more = try stream.sendNow([entry])
                sent += more
                return more == 0
            }
            try await eventually { try await request.call(History()).waiting == 1 }
            _ = try stream.sendNow([entry])
            async let rest: Void = Self.blocking { try stream.send([entry, entry]) }
            try await eventually {
                _ = try await request.call(Release())
                return try await request.call(History()).texts.count >= sent + 2
            }
            try await rest
            // Nothing is left that waits for a release.
            request.send(End(.exit))
            #expect(await request.outcome.kind == .interrupted)
        }
    }

    /// Runs a body while the extension is stopped, and the daemon takes no more packets for it.
    ///
    /// - Parameter signal: is sent to the extension afterwards.
    private static func crowded(
        _ request: ExtensionRequest, then signal: Int32 = SIGCONT, _ body: () throws -> Void
    ) async throws {
        let pid = pid_t(try #require(request.processIdentifier))
        let echo = Echo(text: String(repeating: "a", count: 30_000))
        try #require(kill(pid, SIGSTOP) == 0)
        defer { kill(pid, signal) }
        try await eventually { isStopped(pid) }
        for _ in 0..<60 { request.send(echo) }
        try body()
        // The daemon has refused what the body sent when it refuses the call after that.
        let code = await withCheckedContinuation { (answered: CheckedContinuation<ExtensionHostError.Code?, Never>) in
            request.send(echo) { answer in
                guard case .failure(let error) = answer else { return answered.resume(returning: nil) }
                answered.resume(returning: (error as? ExtensionHostError)?.code)
            }
        }
        #expect(code == .quotaExceeded)
    }

    // spec: PC-22
    @Test(
        "PC-22: entries wait while too many packets wait for the other side, and come in order, each once",
        arguments: [Way.virtualClock, .recording])
    func aCrowdedSideHasAllEntries(_ way: Way) async throws {
        try await Self.with(way) { _, request in
            let (stream, received) = try await Self.open(request, capacity: 1 << 20)
            var sent: [[UInt8]] = [[0]]
            try stream.send(sent)
            for _ in 0..<3 {
                try await eventually { received.entries.count == sent.count }
                // Several calls, the later ones of which may be taken before the first.
                let more = Self.entries(300, most: 100)
                try await Self.crowded(request) {
                    for place in stride(from: 0, to: more.count, by: 50) {
                        try stream.send(Array(more[place..<(place + 50)]))
                    }
                }
                sent += more
            }
            try await eventually { received.entries.count >= sent.count }
            #expect(received.entries == sent && received.end == nil)
            // The end is a call, too.
            try await Self.crowded(request) {
                try stream.send([[9]])
                stream.close()
            }
            // The daemon may have no room for this call either. Echoes that were sent before may come after the end.
            try await eventually { (try? await request.call(History()).texts.contains("closed well")) == true }
            #expect(try await request.call(History()).texts.count { $0 == "closed well" } == 1)
        }
    }

    // spec: PC-22
    @Test("PC-22: a request ends with its stream while entries wait for room") func aCrowdedRequestEnds() async throws {
        try await Self.with(.virtualClock) { _, request in
            let (stream, received) = try await Self.open(request)
            try await Self.crowded(request) { try stream.send([[1]]) }
            try await eventually { received.entries == [[1]] }
            try await Self.crowded(request, then: SIGKILL) { try stream.send([[2]]) }
            #expect(await request.outcome.kind == .interrupted)
            try await eventually { received.end != nil }
        }
    }

    // spec: PC-22
    @Test("PC-22: what was sent before the other side closed is received", arguments: Way.allCases)
    func theOtherSideCloses(_ way: Way) async throws {
        try await Self.with(way) { _, request in
            let (stream, received) = try await Self.open(request, .closeAfterFirst)
            try stream.send([[7], [8]])
            try await eventually { received.end == .some(nil) }
            #expect(received.entries == [[7]])
            #expect(throws: ExtensionHostError.self) { try stream.send([[9]]) }
        }
    }

    enum Ending: String, Sendable, CaseIterable { case killed, completed, cancelled, hostLeaves }

    // spec: PC-8, PC-22
    @Test(
        "PC-8: a stream ends once with its request",
        arguments: [Way.ring, .virtualClock].flatMap { way in Ending.allCases.map { (way, $0) } })
    func aStreamEndsWithItsRequest(_ way: Way, _ end: Ending) async throws {
        try await CallTests.withCaller(clock: way.clock) { daemon, _ in
            let host = try await daemon.host("ending", comesBack: false)
            let request = try await host.begin(CallTests.caller, items: [])
            let (stream, received) = try await Self.open(request)
            try stream.send([[1]])
            try await eventually { received.entries == [[1]] }
            switch end {
            case .killed: kill(pid_t(try #require(request.processIdentifier)), SIGKILL)
            case .completed: request.send(End(.complete))
            case .cancelled: try await request.cancel()
            case .hostLeaves: host.disconnect()
            }
            _ = await request.outcome
            try await eventually { received.end != nil }
            if end == .killed { #expect(received.end == .some(.interrupted)) }
            await #expect(throws: ExtensionHostError.self) {
                try await Self.blocking {
                    for _ in 0..<1_000 { try stream.send([[UInt8](repeating: 0, count: 1_000)]) }
                }
            }
            let late = await #expect(throws: (any Error).self) { try await Self.open(request) }
            #expect(late != nil)
        }
    }

    // spec: PC-22
    @Test("PC-22: an entry that is too large is refused, and the stream goes on", arguments: Way.allCases)
    func anEntryHasABound(_ way: Way) async throws {
        try await Self.with(way) { _, request in
            let (stream, received) = try await Self.open(request, capacity: 1 << 20)
            let error = #expect(throws: ExtensionHostError.self) {
                try stream.send([[1], [UInt8](repeating: 0, count: PointStream.largestEntry + 1)])
            }
            #expect(error?.code == .payloadTooLarge)
            let largest = [UInt8](repeating: 5, count: PointStream.largestEntry)
            try stream.send([largest, []])
            try await eventually { received.entries.count == 2 }
            #expect(received.entries == [largest, []])
        }
    }

    // spec: PC-22
    @Test("PC-22: a side that sends on is not interrupted when the other has closed", arguments: Way.allCases)
    func theOtherSideClosesMeanwhile(_ way: Way) async throws {
        try await Self.with(way) { _, request in
            let (stream, received) = try await Self.open(request, .closeAfterFirst)
            let error = await #expect(throws: ExtensionHostError.self) {
                try await Self.blocking { while true { try stream.send([[7, 7]]) } }
            }
            #expect(error?.code == .contextFinished)
            try await eventually { received.end == .some(nil) }
            #expect(received.entries == [[7, 7]])
        }
    }

    // spec: PC-8, PC-22
    @Test("PC-8: a request that has ended makes no stream", arguments: [Way.ring, .virtualClock])
    func noStreamAfterTheRequest(_ way: Way) async throws {
        try await Self.with(way) { _, request in
            try await request.cancel()
            _ = await request.outcome
            let error = await #expect(throws: ExtensionHostError.self) {
                _ = try await request.makeStream(onEntries: { _ in }, onClose: { _ in })
            }
            #expect(error?.code == .contextFinished)
        }
    }
}
