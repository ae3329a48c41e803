// CountTable: how many instructions each path may take, and the judgement of what was counted.

import Foundation

/// The file `Tests/instruction-counts.tsv`.
struct CountTable: Sendable {
    struct Row: Sendable, Hashable {
        let path: String
        /// As counted when the file was made.
        let count: Int
        /// More is a regression.
        let bound: Int
    }

    let rows: [Row]

    static let file = SampleApplications.root + "/Tests/instruction-counts.tsv"
    /// Set, the file is written anew, and nothing is judged.
    static let renewing = "EXTHOST_RENEW_COUNTS"
    /// Processors differ in which copies and searches of bytes the C library chooses, Swift's versions in what they
    /// write for the same source; a loop within a loop, or an allocation for each value, is more than that.
    static let slack = 1.5

    init(rows: [Row]) { self.rows = rows }

    init(text: String) throws {
        rows = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: "\t")
            guard fields.count == 3, let count = Int(fields[1]), let bound = Int(fields[2]) else {
                throw UnexpectedOutcome(outcome: "a line of \(Self.file) is no path with two numbers: \(line)")
            }
            return Row(path: String(fields[0]), count: count, bound: bound)
        }
    }

    static func read() throws -> CountTable { try CountTable(text: String(contentsOfFile: file, encoding: .utf8)) }

    /// With bounds for these counts.
    init(counts: [String: Int]) {
        rows = counts.sorted { $0.key < $1.key }.map {
            Row(path: $0.key, count: $0.value, bound: Int(Double($0.value) * Self.slack))
        }
    }

    var text: String {
        """
        # Instructions of what is done again and again, counted by valgrind in debug builds, as tests have no others: path, count, bound.
        # A debug build takes several times a release build's; what makes a path longer makes it longer in both.
        # More than the bound fails InstructionCountTests. After a change that is worth it, or makes a path much shorter, write this file anew:
        #   \(Self.renewing)=1 swift test --filter InstructionCountTests

        """ + rows.map { "\($0.path)\t\($0.count)\t\($0.bound)\n" }.joined()
    }

    /// What is wrong with these counts, a line each.
    func faults(of counts: [String: Int]) -> [String] {
        let known = Dictionary(uniqueKeysWithValues: rows.map { ($0.path, $0) })
        return counts.sorted { $0.key < $1.key }.compactMap { path, count in
            guard let row = known[path] else { return "\(path) is not in the table: \(count) instructions" }
            guard count > row.bound else { return nil }
            return
                "\(path) takes \(count) instructions, \(row.bound) at the most, and took \(row.count): find out what makes it longer"
        } + rows.filter { counts[$0.path] == nil }.map { "\($0.path) was not counted" }
    }
}
