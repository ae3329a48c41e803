// AudioBlockTests: blocks of audio as entries of a stream, and entries that are none.

import PointMessages
import Testing

@Suite struct AudioBlockTests {
    private static var block: AudioBlock {
        var block = AudioBlock()
        (block.flags, block.status, block.frames, block.channels) = (3, -10863, 5, 2)
        (block.sampleTime, block.nanoseconds) = (-7, 1 << 40)
        block.events = [
            AudioBlockEvent(sampleTime: 3, .parameter(address: .max, value: 0.5, ramp: 99)),
            AudioBlockEvent(sampleTime: .min, .midi(cable: 2, bytes: [0x90, 60, 100])),
            AudioBlockEvent(sampleTime: .max, .midi(cable: 0, bytes: [0xf0, 1, 2, 3, 0xf7])),
        ]
        return block
    }

    private static func entry(_ block: AudioBlock) throws -> [UInt8] {
        try block.entry { samples in for index in samples.indices { samples[index] = Float(index) / 4 } }
    }

    // spec: AU-13
    @Test("AU-13: a block is one entry there, and one back") func blocksTravel() throws {
        let (block, samples) = try AudioBlock.read(try Self.entry(Self.block)) { ($0, Array($1)) }
        #expect(block == Self.block && samples == (0..<10).map { Float($0) / 4 })
        let empty = try AudioBlock.read(try Self.entry(AudioBlock())) { ($0, Array($1)) }
        #expect(empty.0 == AudioBlock() && empty.1.isEmpty)
    }

    @Test func moreThanABlockHasIsRefused() throws {
        var large = AudioBlock()
        (large.frames, large.channels) = (4097, 2)
        #expect(throws: AudioBlockFault.self) { _ = try Self.entry(large) }
        (large.frames, large.channels) = (1, 65)
        #expect(throws: AudioBlockFault.self) { _ = try Self.entry(large) }
        (large.frames, large.channels) = (-1, 1)
        #expect(throws: AudioBlockFault.self) { _ = try Self.entry(large) }
        var events = AudioBlock()
        events.events = [AudioBlockEvent](repeating: Self.block.events[0], count: 513)
        #expect(throws: AudioBlockFault.self) { _ = try Self.entry(events) }
        events.events = [AudioBlockEvent(sampleTime: 0, .midi(cable: 0, bytes: []))]
        #expect(throws: AudioBlockFault.self) { _ = try Self.entry(events) }
        events.events = [AudioBlockEvent(sampleTime: 0, .midi(cable: 0, bytes: [UInt8](repeating: 0xf0, count: 4096)))]
        #expect(try Self.entry(events).count == 40 + 32 + 4096)
        events.events = [AudioBlockEvent](repeating: events.events[0], count: 8)
        #expect(throws: AudioBlockFault.self) { _ = try Self.entry(events) }
        // The largest block fits into an entry of a stream.
        (large.frames, large.channels) = (4096, 2)
        large.events = [AudioBlockEvent](repeating: Self.block.events[1], count: 512)
        #expect(try Self.entry(large).count < 65_536)
    }

    @Test func entriesOfStrangersAreReadOrRefused() throws {
        let good = try Self.entry(Self.block)
        for count in 0..<good.count {
            #expect(throws: AudioBlockFault.self) { try AudioBlock.read(Array(good.prefix(count))) { _, _ in } }
        }
        #expect(throws: AudioBlockFault.self) { try AudioBlock.read(good + [0]) { _, _ in } }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try? AudioBlock.read(bytes) { block, samples in
                #expect(samples.count == block.frames * block.channels && block.events.count <= 512)
            }
        }
    }
}
