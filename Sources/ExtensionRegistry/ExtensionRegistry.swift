// ExtensionRegistry: which extensions there are, and which copy of each is used.

public import ExtensionProtocol

/// A picture of all bundles, made once; reading only. A value, so that the loop can be given a new one whole.
public struct ExtensionRegistry: Sendable {
    /// Every copy, in the order of identifiers and paths, disabled bundles included.
    public let copies: [RegisteredCopy]
    /// What the user has decided, by identifier; also of extensions that are not there now.
    public let elections: [String: Election]
    private let chosen: [String: Int]
    private let winning: [Int]

    public init(copies: [RegisteredCopy] = [], elections: [String: Election] = [:]) {
        var copies = copies
        let order = copies.indices.sorted {
            (copies[$0].bundle.identifier, copies[$0].bundle.path) < (copies[$1].bundle.identifier, copies[$1].bundle.path)
        }
        var chosen: [String: Int] = [:]
        chosen.reserveCapacity(copies.count)
        var start = 0
        while start < order.count {
            let identifier = copies[order[start]].bundle.identifier
            var end = start + 1
            while end < order.count, copies[order[end]].bundle.identifier == identifier { end += 1 }
            chosen[identifier] = start + Reduction.judge(&copies, order[start..<end])
            if !elections.isEmpty, let election = elections[identifier] {
                for index in order[start..<end] { copies[index].election = election }
            }
            start = end
        }
        let sorted = order.map { copies[$0] }
        self.copies = sorted
        winning = sorted.indices.filter { sorted[$0].isWinner }
        self.elections = elections
        self.chosen = chosen
    }

    /// The copies that are used, in the order of identifiers; ignored extensions among them.
    public var winners: [RegisteredCopy] { winning.map { copies[$0] } }

    /// The copy of `identifier` that is used; one that is disabled when there is no other.
    public subscript(identifier: String) -> RegisteredCopy? { chosen[identifier].map { copies[$0] } }

    public func election(of identifier: String) -> Election { elections[identifier] ?? .default }

    /// The copies that answer to all criteria, reduced: with `allCopies` to nothing less, disabled bundles included; with `allVersions`
    /// to the last registered of each version; else to the last registered of the highest version. Looks into every
    /// bundle's `Info.plist` where a criterion asks for it.
    public func copies(
        matching criteria: [Criterion], allVersions: Bool = false, allCopies: Bool = false
    ) -> [RegisteredCopy] {
        if criteria.isEmpty, !allVersions, !allCopies { return winners }
        let matching = criteria.isEmpty ? copies : copies.filter { copy in criteria.allSatisfy { $0.holds(of: copy.bundle) } }
        if allCopies { return matching }
        return Reduction.reduce(matching.filter(\.bundle.problems.isEmpty), allVersions: allVersions)
    }
}
