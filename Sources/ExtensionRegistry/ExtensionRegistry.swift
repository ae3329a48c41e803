// ExtensionRegistry: a snapshot of all extensions, with the copy of each that is used.

public import ExtensionPoints
public import ExtensionProtocol
public import UniformTypeIdentifiers

/// An immutable snapshot of all bundles. It is a value, so the loop receives each new one whole.
public struct ExtensionRegistry: Sendable {
    /// All copies, sorted by identifier and path, including disabled bundles.
    public let copies: [RegisteredCopy]
    /// The user's elections by identifier, including those of extensions that are not there now.
    public let elections: [String: Election]
    /// The system's types and those that the bundles and their apps declare.
    public let types: TypeTable
    /// The declared types, once each, in the order of the copies.
    public let declaredTypes: [DeclaredType]
    private let chosen: [String: Int]
    private let winning: [Int]
    /// The winning copies that can be offered.
    private let offerable: [Int]
    private let faulty: [Int]
    /// The terms by place in `copies`; nil for disabled bundles.
    private let terms: [OfferTerms?]

    /// Unpacks and compiles all that `previous` does not have. With many new bundles that takes too long for the loop.
    public init(
        copies: [RegisteredCopy] = [], elections: [String: Election] = [:], points: PointTable = PointTable(),
        reusing previous: ExtensionRegistry? = nil
    ) {
        self.init(copies: copies, elections: elections, points: points, reusing: previous, read: [:])
    }

    /// - Parameter read: the terms of bundles that were just read, of these points, by path.
    init(
        copies: [RegisteredCopy], elections: [String: Election], points: PointTable,
        reusing previous: ExtensionRegistry?,
        read: [String: OfferTerms]
    ) {
        var copies = copies
        let order = Self.order(of: copies)
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
        var sorted = order.map { copies[$0] }
        terms = Self.terms(of: &sorted, points, previous, read)
        declaredTypes = Self.declaredTypes(terms)
        types = Self.types(declaredTypes, previous)
        self.copies = sorted
        let winning = sorted.indices.filter { sorted[$0].isWinner }
        let terms = self.terms
        self.winning = winning
        offerable = winning.filter { terms[$0] != nil }
        faulty = sorted.indices.filter { !sorted[$0].bundle.problems.isEmpty }
        self.elections = elections
        self.chosen = chosen
    }

    /// Returns the places of the copies, sorted by identifier and then by path.
    private static func order(of copies: [RegisteredCopy]) -> [Int] {
        let names = copies.map(\.bundle.identifier)
        return copies.indices.sorted { one, other in
            let order = names[one].byteOrder(names[other])
            return order == 0 ? copies[one].bundle.path.byteOrder(copies[other].bundle.path) < 0 : order < 0
        }
    }

    /// Reads the rules of new or changed bundles, and writes each rule's problem and warning to its copy.
    private static func terms(
        of copies: inout [RegisteredCopy], _ points: PointTable, _ previous: ExtensionRegistry?,
        _ read: [String: OfferTerms]
    ) -> [OfferTerms?] {
        let known = previous.map { previous in
            Dictionary(zip(previous.copies.map(\.bundle.path), previous.copies.indices)) { $1 }
        }
        // Each point is looked up once: there are few of them.
        var rulePoints: [String: Bool] = [:]
        func takesRules(_ point: String) -> Bool {
            if let known = rulePoints[point] { return known }
            let takesRules = points[point].takesActivationRules
            rulePoints[point] = takesRules
            return takesRules
        }
        return copies.indices.map { place in
            let bundle = copies[place].bundle
            guard bundle.problems.isEmpty else { return nil }
            var terms = read.isEmpty ? nil : read[bundle.path]
            if terms == nil, let previous, let old = known?[bundle.path], previous.copies[old].bundle == bundle {
                terms = previous.terms[old]
            }
            if terms == nil, let summary = bundle.offerSummary, summary.takesRules == takesRules(bundle.point) {
                terms = OfferTerms(of: bundle, known: summary)
            }
            let own = terms ?? OfferTerms(of: bundle, points: points)
            if bundle.offerSummary != own.summary { bundle.setOffer(own.summary) }
            copies[place].ruleProblem = own.summary.problem
            copies[place].ruleWarning = own.summary.warning
            return own
        }
    }

    /// Returns the previous table while the declared types are the same, as building one takes some milliseconds.
    private static func types(_ declared: [DeclaredType], _ previous: ExtensionRegistry?) -> TypeTable {
        if declared.isEmpty { return .system }
        if let previous, previous.declaredTypes == declared { return previous.types }
        return TypeTable(declaring: declared)
    }

    /// Returns each declared type once: every extension of an app lists the app's types.
    private static func declaredTypes(_ terms: [OfferTerms?]) -> [DeclaredType] {
        var seen: Set<DeclaredType> = []
        return terms.flatMap { $0?.types ?? [] }.filter { seen.insert($0).inserted }
    }

    /// Returns the terms on which a copy is offered; nil for a copy that is disabled or not in this registry.
    public func terms(of bundle: ExtensionBundle) -> OfferTerms? {
        guard let place = chosen[bundle.identifier] else { return nil }
        if copies[place].bundle.path == bundle.path { return terms[place] }
        return copies.firstIndex { $0.bundle.path == bundle.path }.flatMap { terms[$0] }
    }

    /// The copies that are used, sorted by identifier, including ignored extensions.
    public var winners: [RegisteredCopy] { winning.map { copies[$0] } }

    /// The number of winners.
    public var winnerCount: Int { winning.count }

    /// The number of winners that can be offered.
    public var offerCount: Int { offerable.count }

    /// Returns the winners that can be offered in a range of places, with their terms. The cost is that of the range.
    public func offers(_ places: Range<Int>) -> [(copy: RegisteredCopy, terms: OfferTerms)] {
        offerable[places.clamped(to: 0..<offerable.count)].compactMap { place in
            terms[place].map { (copies[place], $0) }
        }
    }

    /// The copies that their own faults disabled.
    public var disabled: [RegisteredCopy] { faulty.map { copies[$0] } }

    /// The copy of `identifier` that is used; a disabled copy if there is no other.
    public subscript(identifier: String) -> RegisteredCopy? { chosen[identifier].map { copies[$0] } }

    public func election(of identifier: String) -> Election { elections[identifier] ?? .default }

    /// Returns the copies that meet all criteria, after a reduction.
    ///
    /// With `allCopies` nothing is removed, not even disabled bundles. With `allVersions` the last registered copy of
    /// each version remains, otherwise the last registered copy of the highest version. If a criterion needs it, every
    /// bundle's `Info.plist` is read.
    public func copies(
        matching criteria: [Criterion], allVersions: Bool = false, allCopies: Bool = false
    ) -> [RegisteredCopy] {
        if criteria.isEmpty, !allVersions, !allCopies { return winners }
        let matching =
            criteria.isEmpty ? copies : copies.filter { copy in criteria.allSatisfy { $0.holds(of: copy.bundle) } }
        if allCopies { return matching }
        return Reduction.reduce(matching.filter(\.bundle.problems.isEmpty), allVersions: allVersions)
    }
}
