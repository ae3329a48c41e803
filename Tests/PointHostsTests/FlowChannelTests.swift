// FlowChannelTests: the events of flows, and those of a side that does not keep to them.

import FlowChannels
import Locks
import PointMessages
import Testing

@Suite struct FlowChannelTests {
    /// The events that one side has sent, and what its handlers have heard.
    private final class Log: Sendable {
        private struct State {
            var sent: [FlowEntry] = []
            var taken: [@Sendable (Bool) -> Void] = []
            var heard: [String] = []
        }

        private let state = Mutex(State())

        func send(_ entries: [FlowEntry], _ taken: @escaping @Sendable (Bool) -> Void) {
            state.withLock { state in
                state.sent += entries
                state.taken.append(taken)
            }
        }

        /// The events since the last look. They count as taken, and so do those that follow.
        func sent(isTaken: Bool = true) -> [FlowEntry] {
            var entries: [FlowEntry] = []
            while true {
                let (sent, handlers) = state.withLock { state in
                    defer { (state.sent, state.taken) = ([], []) }
                    return (state.sent, state.taken)
                }
                if handlers.isEmpty { return entries }
                entries += sent
                for handler in handlers { handler(isTaken) }
            }
        }

        func hear(_ text: String) { state.withLock { $0.heard.append(text) } }
        func hear(_ name: String, _ error: FlowError?) { hear("\(name) \(error.map { "\($0)" } ?? "done")") }
        func hear(_ input: FlowChannel.Input) {
            switch input {
            case .success(let piece?): hear("piece \(piece.bytes?.count ?? piece.datagrams?.count ?? -1)")
            case .success(nil): hear("end")
            case .failure(let error): hear("read \(error)")
            }
        }
        var heard: [String] { state.withLock { $0.heard } }
    }

    private let log = Log()
    private let flows: FlowMultiplexer

    init() {
        let log = log
        flows = FlowMultiplexer { log.send($0, $1) }
    }

    private func add(_ number: Int = 1, isDatagrams: Bool = false) throws -> FlowChannel {
        let log = log
        let events = FlowChannel.Events(
            opened: { log.hear("opened \($0?.host ?? "any")") }, ended: { log.hear("ended") })
        return try #require(flows.add(number, isDatagrams: isDatagrams, events))
    }

    private func piece(_ count: Int) -> FlowEntry {
        var piece = FlowEntry(1, .piece)
        piece.bytes = [UInt8](repeating: 1, count: count)
        return piece
    }

    private func end(_ kind: FlowEntry.Kind, _ error: Int?) -> FlowEntry {
        var entry = FlowEntry(1, kind)
        entry.error = error
        return entry
    }

    // spec: NX-21
    @Test("NX-21: a side that asks again and again, and takes nothing, loses the flow") func questions() throws {
        let flow = try add()
        let log = log
        flow.write([UInt8](repeating: 7, count: 200_000)) { log.hear("write", $0) }
        // The first piece is sent, and the second one waits for the end of that call.
        for _ in 0..<2 { flows.receive([FlowEntry(1, .want)]) }
        #expect(log.heard.isEmpty && flows.count == 1)
        flows.receive([FlowEntry(1, .want)])
        #expect(log.heard.contains("write internal") && log.heard.contains("ended"), "\(log.heard)")
        // More events than a side sends in a call end all flows.
        _ = try add(2)
        flows.receive(Array(repeating: FlowEntry(2, .want), count: FlowService.mostEntries + 1))
        #expect(flows.isOver)
    }

    // spec: NX-21
    @Test("NX-21: each piece goes when the other side wants one") func pieces() throws {
        let flow = try add()
        let log = log
        flow.write([UInt8](repeating: 7, count: 150_000)) { log.hear("write", $0) }
        flow.write([1]) { log.hear("second", $0) }
        flow.closeWriting(nil)
        #expect(log.sent().isEmpty)
        var counts: [Int?] = []
        for _ in 0..<4 {
            flows.receive([FlowEntry(1, .want)])
            counts += log.sent().map { $0.bytes?.count }
        }
        #expect(counts == [65_536, 65_536, 18_928, 1, nil])
        #expect(log.heard == ["write done", "second done"])
        flow.write([1]) { log.hear("late", $0) }
        flows.receive([end(.endOfWriting, nil)])
        flow.read { log.hear($0) }
        #expect(log.heard.dropFirst(2) == ["late notConnected", "ended", "end"])
        #expect(flows.count == 0)
    }

    // spec: NX-21
    @Test("NX-21: a piece that nobody has asked for, or that is too large, ends the flow", arguments: [0, 1, 65_537])
    func violations(count: Int) throws {
        let flow = try add()
        let log = log
        if count != 1 { flow.read { log.hear($0) } }
        flow.write([1]) { log.hear("write", $0) }
        flows.receive([piece(count)])
        #expect(log.heard == (count == 1 ? [] : ["read internal"]) + ["write internal", "ended"])
        #expect(log.sent().suffix(2).map(\.error) == [8, 8])
        #expect(flows.count == 0)
    }

    // spec: NX-21
    @Test("NX-21: datagrams travel in pieces of bounded size, and a stream's bytes are none of them") func datagrams()
        throws
    {
        let flow = try add(isDatagrams: true)
        let log = log
        let endpoint = FlowEndpoint("192.0.2.1", 53)
        flow.write([FlowDatagram([UInt8](repeating: 0, count: 65_508), endpoint)]) { log.hear("large", $0) }
        flow.write((0..<70).map { _ in FlowDatagram([], endpoint) }) { log.hear("write", $0) }
        flow.write([60_000, 6_000].map { FlowDatagram([UInt8](repeating: 0, count: $0), endpoint) }) {
            log.hear("second", $0)
        }
        var counts: [Int?] = []
        for _ in 0..<4 {
            flows.receive([FlowEntry(1, .want)])
            counts += log.sent().map { $0.datagrams?.count }
        }
        #expect(counts == [64, 6, 1, 1])
        #expect(log.heard == ["large datagramTooLarge", "write done", "second done"])
        flow.read { log.hear($0) }
        flows.receive([piece(3)])
        #expect(log.heard.suffix(2) == ["read internal", "ended"])
    }

    // spec: NX-22
    @Test("NX-22: a direction ends once, and both ends are the flow's") func ends() throws {
        let flow = try add()
        let log = log
        flow.read { log.hear($0) }
        flow.read { log.hear($0) }
        flow.closeReading(nil)
        flow.closeReading(.refused)
        flow.read { log.hear($0) }
        // The piece has crossed the end.
        flows.receive([piece(5)])
        #expect(log.heard == ["read readAlreadyPending", "end", "read notConnected"])
        flow.write([1]) { log.hear("write", $0) }
        flows.receive([end(.endOfReading, 6), end(.endOfReading, nil), end(.endOfWriting, nil), FlowEntry(1, .open)])
        flow.write([1]) { log.hear("late", $0) }
        #expect(log.heard.dropFirst(3) == ["write refused", "ended", "late refused"])
        #expect(log.sent().map(\.kind) == [.want, .endOfReading])
        #expect(!flow.open(nil))
    }

    // spec: NX-22
    @Test("NX-22: the error of the other side's reading is heard once, and none is none") func readingErrors() throws {
        let log = log
        for (number, error) in [(1, 6), (2, nil)] as [(Int, Int?)] {
            let events = FlowChannel.Events(failed: { log.hear("failed \(number) \($0)") })
            let flow = try #require(flows.add(number, isDatagrams: false, events))
            for _ in 0..<2 {
                var end = FlowEntry(number, .endOfReading)
                end.error = error
                flows.receive([end])
            }
            flow.closeReading(nil)
        }
        #expect(log.heard == ["failed 1 refused"])
    }

    @Test func anUnknownErrorOrEventIsRead() throws {
        let flow = try add()
        let log = log
        flow.read { log.hear($0) }
        var open = FlowEntry(1, .open)
        open.local = FlowEndpoint("10.0.0.1", 1)
        flows.receive([FlowEntry(1, .unrecognized), open, open, end(.endOfWriting, 99), FlowEntry(2, .want)])
        #expect(log.heard == ["opened 10.0.0.1", "read internal"])
    }

    // spec: NX-22
    @Test("NX-22: all flows end with their request, and with a call that fails") func requestEnds() throws {
        let log = log
        for number in 1...FlowService.mostFlows { try add(number).read { log.hear($0) } }
        #expect(flows.add(513, isDatagrams: false) == nil)
        #expect(flows.add(1, isDatagrams: false) == nil)
        #expect(log.sent(isTaken: false).count <= FlowService.mostEntries)
        #expect(log.heard.count { $0 == "read aborted" } == FlowService.mostFlows)
        #expect(log.heard.count { $0 == "ended" } == FlowService.mostFlows)
        #expect(flows.count == 0 && flows.add(600, isDatagrams: false) == nil)
        #expect(log.sent().isEmpty)
    }

    // spec: NX-21
    @Test("NX-21: a call carries a bounded number of bytes, and one call is open at a time") func calls() throws {
        let log = log
        let channels = try (1...10).map { try add($0) }
        for flow in channels { flow.write([UInt8](repeating: 0, count: 65_536)) { log.hear("write", $0) } }
        // The first call has one event, and the others wait for its end.
        flows.receive((1...10).map { FlowEntry($0, .want) })
        #expect(log.heard.count == 10)
        #expect(log.sent().count == 10)
        channels[0].read { log.hear($0) }
        #expect(log.sent().map(\.kind) == [.want])
    }
}
