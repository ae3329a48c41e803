// CallDirectory: the numbers that an extension blocks and identifies, and the changes of a load.

internal import PointMessages

/// A directory: two lists of numbers in ascending order. A value, safe to use from any thread.
public struct CallDirectory: Sendable {
    /// The entry of a number.
    public struct Entry: Sendable, Hashable {
        /// Whether calls of the number are refused.
        public let isBlocked: Bool
        /// The label; nil without one.
        public let label: String?

        /// Makes an entry; each value is described at its property.
        public init(isBlocked: Bool, label: String?) { (self.isBlocked, self.label) = (isBlocked, label) }
    }

    /// The limits of a directory (ours): Apple's are not documented.
    public struct Limits: Sendable, Hashable {
        /// The largest number of entries of each list.
        public var entries = 2_500_000
        /// The largest sum of the bytes of different labels.
        public var labelBytes = 16 << 20

        /// Makes the limits of this project.
        public init() {}
    }

    private(set) var blocked: [Int64] = []
    private(set) var identified: [Int64] = []
    /// The place of each identified number's label.
    private var places: [UInt32] = []
    private var labels = LabelTable()

    /// The number of blocked numbers.
    public var blockedCount: Int { blocked.count }
    /// The number of identified numbers.
    public var identifiedCount: Int { identified.count }

    /// Returns the entry of a number; nil if the directory has none.
    public subscript(number: Int64) -> Entry? {
        let isBlocked = Self.place(of: number, in: blocked) != nil
        let label = Self.place(of: number, in: identified).map { labels[Int(places[$0])] }
        return isBlocked || label != nil ? Entry(isBlocked: isBlocked, label: label) : nil
    }

    private static func place(of number: Int64, in list: [Int64]) -> Int? {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < list.count && list[low] == number ? low : nil
    }

    /// The labels, each once.
    private struct LabelTable {
        private var all: [String] = []
        private var known: [String: UInt32] = [:]
        private(set) var bytes = 0

        subscript(place: Int) -> String { all[place] }

        mutating func place(of label: String) -> UInt32 {
            if let place = known[label] { return place }
            let place = UInt32(all.count)
            all.append(label)
            known[label] = place
            bytes += label.utf8.count
            return place
        }
    }

    /// A load, whose entries come from the extension.
    struct Load {
        private let isIncremental: Bool
        private let limits: Limits
        /// The directory before.
        private var old: CallDirectory
        /// The entries that the load adds.
        private var new = CallDirectory()
        private var removed: (blocked: Set<Int64>, identified: Set<Int64>) = ([], [])

        init(of directory: CallDirectory?, isIncremental: Bool, _ limits: Limits) {
            self.isIncremental = isIncremental
            self.limits = limits
            old = isIncremental ? directory ?? CallDirectory() : CallDirectory()
        }

        /// Takes entries of the extension.
        mutating func take(_ entries: CallDirectoryEntries) throws(CallDirectoryFailure) {
            guard let numbers = entries.decodedNumbers else {
                throw CallDirectoryFailure(.unknown, "the extension has sent entries that are none")
            }
            switch entries.change {
            case .block: try append(numbers, to: \.blocked)
            case .identify:
                guard let labels = entries.labels, let named = entries.decodedPlaces, labels.count <= numbers.count
                else {
                    throw CallDirectoryFailure(.unknown, "the extension has sent numbers without labels")
                }
                try append(numbers, to: \.identified)
                let places = labels.map { new.labels.place(of: $0) }
                guard new.labels.bytes <= limits.labelBytes else {
                    throw CallDirectoryFailure(
                        .maximumEntriesExceeded, "the labels have more than \(limits.labelBytes) bytes")
                }
                new.places.append(contentsOf: named.lazy.map { places[$0] })
            case .unblock, .forget, .unblockAll, .forgetAll: try remove(numbers, entries.change)
            case .unrecognized: throw CallDirectoryFailure(.unknown, "the change of some entries is unknown here")
            }
        }

        private mutating func append(
            _ numbers: [Int64], to list: WritableKeyPath<CallDirectory, [Int64]>
        ) throws(CallDirectoryFailure) {
            var last = new[keyPath: list].last
            for number in numbers {
                if let last, number <= last {
                    throw number == last
                        ? CallDirectoryFailure(.duplicateEntries, "the number \(number) is there twice")
                        : CallDirectoryFailure(.entriesOutOfOrder, "the number \(number) comes after \(last)")
                }
                last = number
            }
            guard new[keyPath: list].count + numbers.count <= limits.entries else {
                throw CallDirectoryFailure(.maximumEntriesExceeded, "there are more than \(limits.entries) entries")
            }
            new[keyPath: list].append(contentsOf: numbers)
        }

        private mutating func remove(
            _ numbers: [Int64], _ change: CallDirectoryEntries.Change
        ) throws(CallDirectoryFailure) {
            guard isIncremental else {
                throw CallDirectoryFailure(
                    .unexpectedIncrementalRemoval, "an entry was removed in a load that is not incremental")
            }
            switch change {
            case .unblock: removed.blocked.formUnion(numbers)
            case .forget: removed.identified.formUnion(numbers)
            case .unblockAll: (old.blocked, new.blocked, removed.blocked) = ([], [], [])
            default:
                (old.identified, old.places, old.labels) = ([], [], LabelTable())
                (new.identified, new.places, new.labels) = ([], [], LabelTable())
                removed.identified = []
            }
            guard removed.blocked.count <= limits.entries, removed.identified.count <= limits.entries else {
                throw CallDirectoryFailure(.maximumEntriesExceeded, "there are more than \(limits.entries) removals")
            }
        }

        /// Returns the directory after the load. An added number stays also if the load has removed it before; of two
        /// labels the new one counts.
        func finished() throws(CallDirectoryFailure) -> CallDirectory {
            guard isIncremental else { return new }
            var made = CallDirectory()
            Self.merge(old.blocked, without: removed.blocked, new.blocked) { number, _, _ in made.blocked.append(number)
            }
            Self.merge(old.identified, without: removed.identified, new.identified) { number, place, isNew in
                made.identified.append(number)
                let label = isNew ? new.labels[Int(new.places[place])] : old.labels[Int(old.places[place])]
                made.places.append(made.labels.place(of: label))
            }
            guard made.blockedCount <= limits.entries, made.identifiedCount <= limits.entries,
                made.labels.bytes <= limits.labelBytes
            else {
                throw CallDirectoryFailure(
                    .maximumEntriesExceeded, "there are more than \(limits.entries) entries, or labels too long")
            }
            return made
        }

        /// Calls `body` for each number of both lists, in ascending order, with its place in the new list or the old one.
        private static func merge(
            _ old: [Int64], without removed: Set<Int64>, _ new: [Int64], _ body: (Int64, Int, _ isNew: Bool) -> Void
        ) {
            var place = 0
            for (other, number) in old.enumerated() {
                while place < new.count, new[place] < number {
                    body(new[place], place, true)
                    place += 1
                }
                if place < new.count, new[place] == number {
                    body(number, place, true)
                    place += 1
                } else if !removed.contains(number) {
                    body(number, other, false)
                }
            }
            while place < new.count {
                body(new[place], place, true)
                place += 1
            }
        }
    }
}

/// The reason why a directory was not taken over.
struct CallDirectoryFailure: Error {
    let fault: CallDirectoryFault
    let reason: String

    init(_ fault: CallDirectoryFault, _ reason: String) { (self.fault, self.reason) = (fault, reason) }
}
