// SpotlightStore+Search: the pages of a search, each with a bounded work.

internal import PropertyListCoding
internal import SQLite

extension SpotlightStore {
    /// Returns the next page of the items that a search finds, and moves the search behind it.
    ///
    /// A page has a bounded work. So it may have fewer items than wanted, or none, and not be the last.
    ///
    /// - Parameters:
    ///   - cursor: the search.
    ///   - count: the largest number of items.
    /// - Throws: `SpotlightStoreError` `tooMuchWork` for a query that compares too much, and others.
    public func page(_ cursor: inout IndexCursor, count: Int) throws(SpotlightStoreError) -> [FoundItem] {
        try cursor.matches(among: try read(&cursor, count: count))
    }

    /// Reads the items of the next page, of which the cursor says which ones match.
    ///
    /// - Parameters:
    ///   - cursor: the search.
    ///   - count: the largest number of items.
    /// - Throws: as `page`.
    public func read(_ cursor: inout IndexCursor, count: Int) throws(SpotlightStoreError) -> [StoredItem] {
        guard !cursor.isAtEnd, count > 0 else { return [] }
        let start = meter.steps
        var page = Page(count: min(count, limits.rowsPerPage), bytes: limits.bytesPerPage)
        if cursor.found.isEmpty { try look(&cursor, &page) }
        let one = SearchSQL.item(hasFamily: cursor.family == nil)
        while !page.isFull, let number = cursor.found.popFirst() {
            try rows(one, [.integer(number)]) { row in
                page.add(row, cursor)
                return false
            }
        }
        cursor.isAtEnd = cursor.isSearched && cursor.found.isEmpty
        try cursor.add(meter.steps - start)
        return page.items
    }

    /// The items of one page.
    private struct Page {
        private(set) var items: [StoredItem] = []
        private var rows = 0
        private var bytes = 0
        private let largestCount: Int
        private let largestBytes: Int

        init(count: Int, bytes: Int) { (largestCount, largestBytes) = (count, bytes) }

        var isFull: Bool { rows >= largestCount || bytes >= largestBytes }

        /// Adds the item of a row, unless it has expired.
        mutating func add(_ row: Statement, _ cursor: IndexCursor) {
            rows += 1
            let expires = row.real(3)
            guard expires > cursor.now else { return }
            let item = StoredItem(
                number: row.integer(0), family: cursor.family ?? AppFamily(row.text(5), owner: row.text(6)),
                identifier: row.text(1), domain: row.isNull(2) ? nil : row.text(2), expires: expires,
                content: row.withBlob(4) { Array($0) })
            bytes += item.content.count
            items.append(item)
        }
    }

    // MARK: Looks

    /// The numbers in the first look at items that no index finds.
    private static let firstWindow = 2048
    /// The items of a condition that few fulfil: their numbers are soon found, and found again for each look.
    private static let fewItems = 2048

    /// Looks for further items that fulfil the condition of a search: adds them to the page, or their numbers to the
    /// cursor.
    ///
    /// A look ends at a number of items, at the end of a range of numbers, or at a bound of work. The next one begins
    /// there.
    private func look(_ cursor: inout IndexCursor, _ page: inout Page) throws(SpotlightStoreError) {
        if cursor.scope == nil, let family = cursor.family {
            guard let number = try known(family) else { return cursor.isSearched = true }
            cursor.scope = SearchSQL.Scope(
                number: number, word: Self.scope(number), hasMost: try self.count(of: family) * 4 > self.count())
        }
        if cursor.narrow == nil {
            let narrow = try narrow(cursor.condition)
            cursor.narrow = narrow
            if !cursor.condition.isIndexed(narrow) { cursor.window = Self.firstWindow }
        }
        guard let latest = try latestItem(before: cursor.before, cursor.scope) else { return cursor.isSearched = true }
        let lowest = cursor.window.map { latest - $0 + 1 } ?? 0
        var sql = SearchSQL(
            cursor.condition, cursor.narrow ?? [], scope: cursor.scope, readsItems: cursor.ahead == nil)
        sql.add("\(sql.row) <= ?", .integer(latest))
        if lowest > 0 { sql.add("\(sql.row) >= ?", .integer(lowest)) }
        let bound = cursor.isUnbounded ? cursor.remaining : min(limits.workPerPage, cursor.remaining)
        let steps = meter.steps
        var last: Int?
        let end = try run(sql, bound) { row in
            last = row.integer(0)
            guard let ahead = cursor.ahead else {
                page.add(row, cursor)
                return !page.isFull
            }
            cursor.found.append(row.integer(0))
            return cursor.found.count < ahead
        }
        switch end {
        case .bounded: return goOn(&cursor, last)
        case .stopped:
            cursor.before = last ?? lowest
            // The words of a condition are found before its first item, and again in each look.
            if cursor.condition.hasWords { cursor.ahead = min((cursor.ahead ?? 64) * 4, limits.rowsAhead) }
        case .whole:
            cursor.before = lowest
            cursor.isSearched = lowest <= 1
        }
        if let window = cursor.window, meter.steps - steps < bound / 4 { cursor.window = min(window * 2, 1 << 40) }
    }

    /// Chooses the next look after one that has reached its bound.
    private func goOn(_ cursor: inout IndexCursor, _ last: Int?) {
        if let last { return cursor.before = last }
        switch (cursor.window, cursor.search) {
        case (let window?, _) where window > 1: cursor.window = max(1, window / 8)
        // One item alone has a bounded work.
        case (_?, _): cursor.isUnbounded = true
        // The words take long to find. The query itself decides about each item.
        case (nil, .query):
            cursor.condition = cursor.condition.withoutWords
            cursor.window = Self.firstWindow
        // Nothing else finds the words. The host's own user searches for them.
        case (nil, .words), (nil, .all): cursor.isUnbounded = true
        }
    }

    /// The end of the rows of a look.
    private enum LookEnd {
        /// There are no more.
        case whole
        /// The caller wants no more.
        case stopped
        /// The bound of work was reached.
        case bounded
    }

    private func run(
        _ sql: SearchSQL, _ steps: Int, _ body: (Statement) -> Bool
    ) throws(SpotlightStoreError) -> LookEnd {
        var end = LookEnd.whole
        meter.bound = meter.steps + steps
        defer { meter.bound = .max }
        do throws(SpotlightStoreError) {
            try rows(sql.text, sql.values) { row in
                if body(row) { return true }
                end = .stopped
                return false
            }
        } catch {
            guard case .tooMuchWork = error else { throw error }
            return .bounded
        }
        return end
    }

    private func latestItem(
        before number: Int, _ scope: SearchSQL.Scope?
    ) throws(SpotlightStoreError) -> Int? {
        var latest: Int?
        let sql = "SELECT max(id) FROM items WHERE id < ?" + (scope == nil ? "" : " AND family = ?")
        try rows(sql, [.integer(number)] + (scope.map { [.integer($0.number)] } ?? [])) { row in
            latest = row.isNull(0) ? nil : row.integer(0)
            return false
        }
        return latest
    }

    /// Returns the conditions on numbers that few items fulfil.
    private func narrow(_ condition: SearchCondition) throws(SpotlightStoreError) -> Set<SearchCondition> {
        switch condition {
        case .none, .words, .contains: return []
        case .number(let name, let range):
            var values: [Statement.Value] = []
            let sql = SearchSQL.numbers(name, range, &values)
            var count = 0
            try rows("SELECT count(*) FROM (\(sql) LIMIT \(Self.fewItems + 1))", values) { row in
                count = row.integer(0)
                return false
            }
            return count <= Self.fewItems ? [condition] : []
        case .all(let parts), .any(let parts):
            var all: Set<SearchCondition> = []
            for part in parts { all.formUnion(try narrow(part)) }
            return all
        }
    }
}
