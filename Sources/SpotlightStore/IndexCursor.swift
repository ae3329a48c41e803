// IndexCursor: the place of a search in the index, and the items that match its query.

internal import PropertyListCoding

/// A search that goes on from page to page, the latest change first.
///
/// It is a value. Changes between two pages are no fault: deleted items are not found, and later ones are not either.
public struct IndexCursor: Sendable {
    /// The aim of a search.
    public enum Search: Sendable {
        /// The items of all words, each of which may be the beginning of one.
        case words(String)
        /// The items that match a query.
        case query(SearchQuery)
        /// All items.
        case all
    }

    let search: Search
    let family: AppFamily?
    /// The time, in seconds since 2001. Items that have expired are not found.
    let now: Double
    private let limits: SearchLimits

    /// Whether there are no more pages.
    public internal(set) var isAtEnd = false
    /// The work so far, in steps.
    public internal(set) var work = 0

    /// The condition that the database decides.
    var condition: SearchCondition
    /// The conditions on numbers that few items fulfil; nil before the first page.
    var narrow: Set<SearchCondition>?
    /// The family in the store; nil before the first page, and for all families.
    var scope: SearchSQL.Scope?
    /// The items with lower numbers are not looked at yet.
    var before = Int.max
    /// The numbers of items that fulfil the condition and are not read yet.
    var found: ArraySlice<Int> = []
    /// Whether there are no further numbers.
    var isSearched = false
    /// The largest number of items in the next look.
    var ahead: Int?
    /// The range of numbers in the next look; nil: all.
    var window: Int?
    /// Whether a look has the bound of the query, because no smaller one finds anything.
    var isUnbounded = false

    /// Makes a search.
    ///
    /// - Parameters:
    ///   - search: the search.
    ///   - family: the app family; nil: all.
    ///   - now: the time, in seconds since 2001. Items that have expired are not found.
    ///   - limits: the bounds.
    public init(
        _ search: Search, of family: AppFamily? = nil, now: Double, limits: SearchLimits = SearchLimits()
    ) {
        (self.search, self.family, self.now, self.limits) = (search, family, now, limits)
        switch search {
        case .words(let text):
            let words = SearchCondition.freeWords(text, limit: limits.comparisons)
            condition = words ?? .none
            isAtEnd = words == nil
        case .query(let query): condition = SearchCondition(query)
        case .all: condition = .none
        }
    }

    /// Adds work, and throws once it is more than a query may do.
    mutating func add(_ steps: Int) throws(SpotlightStoreError) {
        work += steps
        guard work <= limits.workPerQuery else { throw Self.tooMuchWork }
    }

    private static let tooMuchWork = SpotlightStoreError.tooMuchWork(
        """
        the query compares more of the index than one query may. Use fewer comparisons, name the attributes, and begin \
        texts without *
        """)

    /// The work that is left for the query.
    var remaining: Int { max(1, limits.workPerQuery - work) }

    /// Returns the items that the search finds among those of a page. It takes time, and needs no store.
    ///
    /// - Throws: `SpotlightStoreError` `tooMuchWork`.
    public mutating func matches(among items: [StoredItem]) throws(SpotlightStoreError) -> [FoundItem] {
        var found: [FoundItem] = []
        for item in items {
            try add(1 + item.content.count / MatchWork.bytesOfStep)
            let read = item.item
            if case .query(let query) = search {
                var work = MatchWork(bound: remaining)
                let isMatch: Bool
                do throws(MatchWork.Exceeded) {
                    isMatch = try query.matches(read.queried, &work)
                } catch {
                    throw Self.tooMuchWork
                }
                try add(work.steps)
                guard isMatch else { continue }
            }
            found.append(read)
        }
        return found
    }
}

/// An item as the store has it.
public struct StoredItem: Sendable {
    let number: Int
    let family: AppFamily
    let identifier: String
    let domain: String?
    let expires: Double
    /// The attributes in binary form.
    let content: [UInt8]

    /// The item, once its attributes are read.
    var item: FoundItem {
        let plist = content.withUnsafeBytes { try? PropertyList(binary: $0, limits: .payload) }
        let (attributes, searchableNames) = IndexedItem.content(plist ?? [:])
        return FoundItem(
            number: number, family: family, identifier: identifier, domain: domain, expires: expires,
            attributes: attributes, searchableNames: searchableNames)
    }
}
