// SharedRingTests: rings in shared memory, with another side that writes what it likes.

import Glibc
import LinuxSystem
import Testing

@Suite struct SharedRingTests {
    /// The bytes before the contents of a ring (`SharedRings`).
    private static let head = 4096

    private func write(_ value: UInt64, at place: Int, in memory: SharedDescriptor) {
        withUnsafeBytes(of: value) { #expect(pwrite(memory.raw, $0.baseAddress, 8, off_t(place)) == 8) }
    }

    private func put(_ entry: [UInt8], _ writer: inout RingWriter) throws -> Bool {
        try entry.withUnsafeBytes { bytes in try Result { try writer.write(bytes) }.get() }
    }

    @Test func entriesOfAllSizesGoAroundTheEnd() throws {
        let (rings, memory) = try SharedRings.make(capacity: 4096)
        let other = try SharedRings.open(memory, capacity: 4096)
        for isFirst in [true, false] {
            var (writer, reader) = (rings.writer(ofFirst: isFirst), other.reader(ofFirst: isFirst))
            var (sent, got): ([[UInt8]], [[UInt8]]) = ([], [])
            for number in 0..<3_000 {
                let entry = [UInt8](repeating: UInt8(number & 255), count: (number * 37) % 1_700)
                while !(try put(entry, &writer)) {
                    _ = writer.publish()
                    while let entry = try reader.next(largest: 4096) { got.append(entry) }
                    _ = reader.release()
                }
                sent.append(entry)
            }
            _ = writer.publish()
            while let entry = try reader.next(largest: 4096) { got.append(entry) }
            #expect(got == sent)
        }
    }

    @Test func aSleeperIsWokenOnce() throws {
        let (rings, _) = try SharedRings.make(capacity: 4096)
        var (writer, reader) = (rings.writer(ofFirst: true), rings.reader(ofFirst: true))
        #expect(try reader.fallAsleep())
        #expect(try put([1], &writer))
        #expect(writer.publish() && !writer.publish())
        #expect(try reader.next(largest: 10) == [1])
        #expect(try put([2], &writer) && !writer.publish())
        // There is something to read.
        #expect(try !reader.fallAsleep())
        rings.end(first: true)
        #expect(try reader.next(largest: 10) == [2])
        #expect(try !reader.fallAsleep() && reader.isEnded)
        // A writer without room.
        while try put([UInt8](repeating: 0, count: 1_000), &writer) {}
        #expect(try writer.fallAsleep(needing: 1_000))
        _ = writer.publish()
        _ = try reader.next(largest: 1_000)
        #expect(reader.release() && !reader.release())
    }

    @Test(arguments: [
        // Written: more than the capacity; lengths past the end, and past what was written.
        (0, UInt64(5_000), UInt64?.none), (0, .max, nil), (0, 3, nil), (0, 20, 17), (0, 20, UInt64(UInt32.max)),
    ])
    func placesThatCannotBeAreRefused(_ place: Int, _ written: UInt64, _ length: UInt64?) throws {
        let (rings, memory) = try SharedRings.make(capacity: 4096)
        write(written, at: place, in: memory)
        if let length { write(length, at: Self.head, in: memory) }
        var reader = rings.reader(ofFirst: true)
        #expect(throws: SharedRingError.corrupted) { _ = try reader.next(largest: 1 << 20) }
    }

    @Test func aWriterThatGoesBackIsRefused() throws {
        let (rings, memory) = try SharedRings.make(capacity: 4096)
        var (writer, reader) = (rings.writer(ofFirst: true), rings.reader(ofFirst: true))
        #expect(try put([1, 2, 3], &writer))
        _ = writer.publish()
        #expect(try reader.next(largest: 10) == [1, 2, 3])
        write(4, at: 0, in: memory)
        #expect(throws: SharedRingError.corrupted) { _ = try reader.next(largest: 10) }
    }

    @Test func aReaderThatGoesBackOrAheadIsRefused() throws {
        for read in [UInt64(1), .max] {
            let (rings, memory) = try SharedRings.make(capacity: 4096)
            var writer = rings.writer(ofFirst: true)
            write(read, at: 64, in: memory)
            // Its place is read only when the room that is known is used up.
            #expect(throws: SharedRingError.corrupted) {
                for _ in 0..<5 { _ = try put([UInt8](repeating: 0, count: 1_000), &writer) }
                _ = try writer.fallAsleep(needing: 4_000)
                write(0, at: 64, in: memory)
                _ = try writer.fallAsleep(needing: 4_000)
            }
        }
    }

    @Test func memoryThatIsNoneIsRefused() throws {
        let (_, memory) = try SharedRings.make(capacity: 4096)
        #expect(throws: SharedRingError.notRings) { _ = try SharedRings.open(memory, capacity: 8192) }
        #expect(throws: SharedRingError.notRings) { _ = try SharedRings.open(memory, capacity: 5000) }
        #expect(throws: SharedRingError.notRings) { _ = try SharedRings.open(memory, capacity: -4096) }
        // A file that its owner could truncate.
        let directory = try TemporaryDirectory(prefix: "exthost-rings")
        defer { try? directory.remove() }
        let raw = open(directory.path + "/file", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(raw >= 0 && ftruncate(raw, 2 * (4096 + 4096)) == 0)
        #expect(throws: SharedRingError.notRings) {
            _ = try SharedRings.open(SharedDescriptor(owning: raw), capacity: 4096)
        }
    }
}
