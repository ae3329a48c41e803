// Mutated packets: whatever arrives is a packet or a named violation, never a trap, and every message reads it safely.

import ExtensionConnection
import ExtensionProtocol
import LinuxSystem
import PropertyListCoding
import Testing

@Suite struct FuzzTests {
    private static func seeds() throws -> [[UInt8]] {
        let request = RequestIdentifier("6BA7B810-9DAD-41D1-80B4-00C04FD430C8") ?? RequestIdentifier()
        let error = ExtensionHostError(.timedOut, "late", remedy: "hurry", cause: "none")
        var timings = Timings()
        timings.spawn = 0.25
        let exit = ExitRecord(status: 1, signal: 2, cause: .crashed, peakMemory: 3, expired: true)
        return [
            try StrangePeer.packet(
                Hello(
                    role: .host, name: "Photos", sdk: "s", resumption: Resumption(token: [1, 2], received: 3),
                    output: true)),
            try StrangePeer.packet(
                Begin(
                    request: request, extensionIdentifier: "e", attachments: [[["public.url"], ["public.text"]]],
                    timeout: 4)),
            try StrangePeer.packet(
                Finished(
                    request: request, cause: .completed, detail: error, pid: 4, process: 5, hostState: .active,
                    created: 6,
                    timings: timings)),
            try StrangePeer.packet(Exited(process: 5, exit: exit, time: 7)),
            try StrangePeer.packet(
                HostStateChanged(notification: .didBecomeActive, requests: [request, request], sequence: 8)),
            try StrangePeer.packet(
                EventBatch(events: [EventRecord(sequence: 1, time: 2, event: .busLost, cause: .quota)], oldest: 4)),
            try StrangePeer.packet(Credit(Window(packets: 1, bytes: 100)), serial: 0),
            try StrangePeer.packet(ErrorReply(error), serial: 0),
            try StrangePeer.packet(ItemLoaded(), flags: 1, replyTo: 3),
        ]
    }

    private func mutate(_ packet: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var packet = packet
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: 0..<packet.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: packet[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: packet[index] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
            case 2: packet[index] = UInt8.random(in: 0...255, using: &generator)
            case 3: packet.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            case 4 where packet.count > 1: packet.remove(at: index)
            default: packet.swapAt(index, Int.random(in: 0..<packet.count, using: &generator))
            }
        }
        // Most keep a true length, so that what is behind the header is reached.
        if packet.count >= PacketHeader.size, Int.random(in: 0..<8, using: &generator) != 0 {
            let length = UInt32(packet.count - PacketHeader.size).littleEndian
            packet.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: 4, as: UInt32.self) }
        }
        return packet
    }

    @Test func everyKindOfMessageIsRead() {
        #expect(Set(MessageReader.all.keys) == Set(MessageKind.allCases))
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func mutatedPacketsAreTakenOrNamedAndNeverTrap(_ seed: UInt64) throws {
        let seeds = try Self.seeds()
        let memory = SharedDescriptor(try SealedMemory.make([1, 2, 3]))
        var generator = SeededGenerator(seed: seed)
        let buffer = ReceiveBuffer()
        var taken = 0
        var read = 0
        var refused = 0
        for round in 0..<5000 {
            let pair = try SocketPair()
            let peer = StrangePeer(socket: pair.first)
            var connection = Connection(socket: pair.second)
            connection.openCredit(.standard)
            try peer.send(
                mutate(seeds[round % seeds.count], &generator), descriptors: round % 3 == 0 ? [memory.raw] : [])
            do throws(ConnectionError) {
                guard let packet = try connection.receive(into: buffer) else { continue }
                taken += 1
                connection.release(packet.cost)
                if MessageReader.all[packet.kind]?.accepts(packet.dictionary) == true { read += 1 }
                if round % 100 == 0 { for reader in MessageReader.all.values { _ = reader.accepts(packet.dictionary) } }
                _ = try? packet.payload.bytes()
            } catch {
                #expect(violation(error)?.description.isEmpty == false)
                refused += 1
            }
        }
        // Each way out was gone through many times.
        #expect(taken > 200)
        #expect(read > 100)
        #expect(refused > 500)
    }

    // MARK: Values

    private static let strangers: [PropertyList] = [
        true, 0, -1, .integer(.max), .integer(.min), .real(.nan), .real(.infinity), .real(-1e300), .date(-.infinity),
        "",
        "active",
        "1.0",
        "00000000-0000-0000-0000-000000000000", .string(String(repeating: "é", count: 500)), .data([]), .data([0, 1]),
        [], [[[]]],
        [:],
        ["packets": .integer(.max), "bytes": -1],
    ]

    private func mutate(_ value: PropertyList, _ generator: inout SeededGenerator) -> PropertyList {
        if Int.random(in: 0..<6, using: &generator) == 0 {
            return Self.strangers.randomElement(using: &generator) ?? value
        }
        switch value {
        case .array(let values):
            var values = values.map { mutate($0, &generator) }
            if Int.random(in: 0..<8, using: &generator) == 0 { values += values }
            return .array(values)
        case .dictionary(let dictionary):
            var result = PropertyListDictionary()
            for (key, value) in dictionary where Int.random(in: 0..<16, using: &generator) != 0 {
                result[key] = mutate(value, &generator)
            }
            return .dictionary(result)
        default: return value
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func mutatedValuesAreReadOrNamedAndNeverTrap(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let buffer = ReceiveBuffer()
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        var connection = Connection(socket: pair.second)
        var serial: UInt32 = 1
        var read = 0
        var refused = 0
        for packet in try Self.seeds() {
            let header = try packet.withUnsafeBytes { try PacketHeader(packet: $0) }
            // Those outside of the count of serials end a connection when they are wrong; the other test has them.
            guard header.serial != 0, let kind = MessageKind(rawValue: header.kind),
                let reader = MessageReader.all[kind]
            else {
                continue
            }
            let value = try PropertyList(binary: Array(packet[PacketHeader.size...]), limits: .packet)
            for _ in 0..<500 {
                let mutated = mutate(value, &generator)
                guard mutated.dictionary != nil else { continue }
                try peer.send(StrangePeer.packet(kind: header.kind, serial: serial, body: try mutated.encodeBinary()))
                serial += 1
                let arrived = try #require(try connection.receive(into: buffer))
                connection.release(arrived.cost)
                _ = try connection.flush()
                if reader.accepts(arrived.dictionary) { read += 1 } else { refused += 1 }
            }
        }
        #expect(read > 200)
        #expect(refused > 200)
    }
}
