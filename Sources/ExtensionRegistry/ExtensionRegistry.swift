// ExtensionRegistry: which extensions there are, and which copy of each is used.

public import ExtensionPoints
public import ExtensionProtocol
public import UniformTypeIdentifiers

/// A picture of all bundles, made once; reading only. A value, so that the loop can be given a new one whole.
public struct ExtensionRegistry: Sendable {
    /// Every copy, in the order of identifiers and paths, disabled bundles included.
    public let copies: [RegisteredCopy]
    /// What the user has decided, by identifier; also of extensions that are not there now.
    public let elections: [String: Election]
    /// The system's types and those that the bundles and their apps declare.
    public let types: TypeTable
    /// These, in the order of the copies, each once.
    public let declaredTypes: [DeclaredType]
    private let chosen: [String: Int]
    private let winning: [Int]
    /// Of these, the ones that can be offered.
    private let offerable: [Int]
    private let faulty: [Int]
    /// By place in `copies`; nil of bundles that are disabled.
    private let terms: [OfferTerms?]

    /// Unpacks and compiles what `previous` does not know yet, so with many new bundles not for the loop.
    public init(
        copies: [RegisteredCopy] = [], elections: [String: Election] = [:], points: PointTable = PointTable(),
        reusing previous: ExtensionRegistry? = nil
    ) {
        self.init(copies: copies, elections: elections, points: points, reusing: previous, read: [:])
    }

    /// - Parameter read: by their paths, the terms of bundles that have just been read, of these points.
    init(
        copies: [RegisteredCopy], elections: [String: Election], points: PointTable, reusing previous: ExtensionRegistry?,
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

    /// The places of copies in the order of identifiers, and of paths where these are equal.
    private static func order(of copies: [RegisteredCopy]) -> [Int] {
        let names = copies.map(\.bundle.identifier)
        return copies.indices.sorted { one, other in
            let order = names[one].byteOrder(names[other])
            return order == 0 ? copies[one].bundle.path.byteOrder(copies[other].bundle.path) < 0 : order < 0
        }
    }

    /// Reads the rules of what is new or changed, and writes to each copy what is wrong with its own.
    private static func terms(
        of copies: inout [RegisteredCopy], _ points: PointTable, _ previous: ExtensionRegistry?, _ read: [String: OfferTerms]
    ) -> [OfferTerms?] {
        let known = previous.map { previous in
            Dictionary(zip(previous.copies.map(\.bundle.path), previous.copies.indices)) { $1 }
        }
        // Asked once for each point: there are few of them.
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

    /// The same table as before while the same types are declared: to make one takes some milliseconds.
    private static func types(_ declared: [DeclaredType], _ previous: ExtensionRegistry?) -> TypeTable {
        if declared.isEmpty { return .system }
        if let previous, previous.declaredTypes == declared { return previous.types }
        return TypeTable(declaring: declared)
    }

    /// Each once: the extensions of one app all know what that declares.
    private static func declaredTypes(_ terms: [OfferTerms?]) -> [DeclaredType] {
        var seen: Set<DeclaredType> = []
        return terms.flatMap { $0?.types ?? [] }.filter { seen.insert($0).inserted }
    }

    /// What decides whether a copy is offered; nil of one that is disabled or not this registry's.
    public func terms(of bundle: ExtensionBundle) -> OfferTerms? {
        guard let place = chosen[bundle.identifier] else { return nil }
        if copies[place].bundle.path == bundle.path { return terms[place] }
        return copies.firstIndex { $0.bundle.path == bundle.path }.flatMap { terms[$0] }
    }

    /// The copies that are used, in the order of identifiers; ignored extensions among them.
    public var winners: [RegisteredCopy] { winning.map { copies[$0] } }

    /// How many they are.
    public var winnerCount: Int { winning.count }

    /// How many of them can be offered.
    public var offerCount: Int { offerable.count }

    /// Those of them, by their places among all that can be offered, with what decides whether they are. Costs what is asked for.
    public func offers(_ places: Range<Int>) -> [(copy: RegisteredCopy, terms: OfferTerms)] {
        offerable[places.clamped(to: 0..<offerable.count)].compactMap { place in terms[place].map { (copies[place], $0) } }
    }

    /// The copies that disabled themselves by their faults.
    public var disabled: [RegisteredCopy] { faulty.map { copies[$0] } }

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
