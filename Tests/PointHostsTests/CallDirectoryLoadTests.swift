// CallDirectoryLoadTests: what a load does with entries, also with those that no framework sends.

import PointMessages
import Testing

@testable import PointHosts

@Suite struct CallDirectoryLoadTests {
    private static func loaded(
        _ entries: [CallDirectoryEntries], from old: CallDirectory? = nil, isIncremental: Bool = false,
        _ limits: CallDirectory.Limits = .init()
    ) throws -> CallDirectory {
        var load = CallDirectory.Load(of: old, isIncremental: isIncremental, limits)
        for batch in entries { try load.take(batch) }
        return try load.finished()
    }

    private static func fault(
        _ entries: [CallDirectoryEntries], isIncremental: Bool = false, _ limits: CallDirectory.Limits = .init()
    ) -> CallDirectoryFault? {
        do {
            _ = try loaded(entries, isIncremental: isIncremental, limits)
            return nil
        } catch {
            return (error as? CallDirectoryFailure)?.fault
        }
    }

    // spec: CD-2
    @Test("CD-2: the lists are apart, and order and repetition count across batches") func order() throws {
        let directory = try Self.loaded([
            .init(.block, numbers: [1, 5]), .init(identifying: [2, 5], labels: ["a"], places: [0, 0]),
            .init(.block, numbers: [.max - 1]),
        ])
        #expect(directory.blockedCount == 3 && directory.identifiedCount == 2)
        #expect(
            directory[5] == .init(isBlocked: true, label: "a") && directory[1] == .init(isBlocked: true, label: nil))
        #expect(directory[2] == .init(isBlocked: false, label: "a") && directory[3] == nil)
        #expect(Self.fault([.init(.block, numbers: [2, 1])]) == .entriesOutOfOrder)
        #expect(Self.fault([.init(.block, numbers: [1, 1])]) == .duplicateEntries)
        #expect(Self.fault([.init(.block, numbers: [7]), .init(.block, numbers: [6])]) == .entriesOutOfOrder)
        let twice = CallDirectoryEntries(identifying: [7], labels: ["a"], places: [0])
        #expect(Self.fault([twice, twice]) == .duplicateEntries)
    }

    // spec: CD-2
    @Test("CD-2: the numbers of entries and the bytes of labels have limits") func limits() throws {
        var limits = CallDirectory.Limits()
        (limits.entries, limits.labelBytes) = (2, 4)
        #expect(Self.fault([.init(.block, numbers: [1, 2])], limits) == nil)
        #expect(
            Self.fault([.init(.block, numbers: [1, 2]), .init(.block, numbers: [3])], limits) == .maximumEntriesExceeded
        )
        let long = CallDirectoryEntries(identifying: [1], labels: ["abcde"], places: [0])
        #expect(Self.fault([long], limits) == .maximumEntriesExceeded)
        // A label counts once.
        let many = CallDirectoryEntries(identifying: [1, 2], labels: ["abcd"], places: [0, 0])
        #expect(Self.fault([many], limits) == nil)
        let removals = CallDirectoryEntries(.unblock, numbers: [1, 2, 3])
        #expect(Self.fault([removals], isIncremental: true, limits) == .maximumEntriesExceeded)
    }

    // spec: CD-4
    @Test("CD-4: an incremental load adds, removes and replaces; another removes nothing") func incremental() throws {
        let old = try Self.loaded([
            .init(.block, numbers: [1, 3, 5]),
            .init(identifying: [1, 3, 5], labels: ["a", "b", "c"], places: [0, 1, 2]),
        ])
        let changed = try Self.loaded(
            [
                .init(.unblock, numbers: [3, 4]), .init(.block, numbers: [2, 5, 9]), .init(.forget, numbers: [1]),
                .init(identifying: [3, 4], labels: ["d"], places: [0, 0]),
            ], from: old, isIncremental: true)
        #expect((0...9).filter { changed[$0]?.isBlocked == true } == [1, 2, 5, 9])
        #expect((0...9).map { changed[$0]?.label } == [nil, nil, nil, "d", "d", "c", nil, nil, nil, nil])
        let cleared = try Self.loaded(
            [
                .init(.block, numbers: [7]), .init(.unblockAll), .init(.block, numbers: [4]), .init(.forgetAll),
            ], from: old, isIncremental: true)
        #expect(cleared.blockedCount == 1 && cleared[4]?.isBlocked == true && cleared.identifiedCount == 0)
        for change in [CallDirectoryEntries.Change.unblock, .unblockAll, .forget, .forgetAll] {
            #expect(Self.fault([.init(change, numbers: [])]) == .unexpectedIncrementalRemoval)
        }
    }

    // spec: CD-2
    @Test("CD-2: entries that are none, of a hostile extension, are a fault") func hostileEntries() {
        var torn = CallDirectoryEntries(.block, numbers: [1])
        torn.numbers.removeLast()
        let crowd = CallDirectoryEntries(.block, numbers: (0...4_096).map(Int64.init))
        var nameless = CallDirectoryEntries(.identify, numbers: [1])
        nameless.labels = ["a"]
        let stranger = CallDirectoryEntries(identifying: [1], labels: ["a"], places: [1])
        let few = CallDirectoryEntries(identifying: [1, 2], labels: ["a"], places: [0])
        for entries in [torn, crowd, nameless, stranger, few, .init(.unrecognized, numbers: [1])] {
            #expect(Self.fault([entries]) == .unknown)
        }
    }

    // spec: CD-6
    @Test(
        "CD-6: numbers are read as people write them",
        arguments: [
            ("+1 (555) 555-0123", 15_555_550_123), ("15.555", 15555), ("+", nil), ("", nil), ("12a", nil),
            ("99999999999999999999", nil), ("٣", nil),
        ] as [(String, Int64?)])
    func numbers(text: String, number: Int64?) {
        #expect(CallDirectoryHost.number(text) == number)
    }
}
