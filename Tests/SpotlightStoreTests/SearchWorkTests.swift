// SearchWorkTests: the bounds of the work of one page and of one query.

import Foundation
import PropertyListCoding
import Testing

@testable import SpotlightStore

@Suite struct SearchWorkTests {
    private func store(_ count: Int, text: Int = 0, _ limits: SearchLimits = SearchLimits()) throws -> SpotlightStore {
        let store = try SpotlightStore(path: ":memory:", limits: limits)
        let long = String(repeating: "x", count: text)
        for first in stride(from: 0, to: count, by: 1000) {
            let items = (first..<min(first + 1000, count)).map { number in
                IndexedItem(
                    identifier: "\(number)",
                    attributes: [
                        "title": .string("Title \(number)"), "textContent": .string(long),
                        "rating": .integer(Int64(number % 5)),
                    ])
            }
            try store.apply([.put(items)], of: "a", now: 0)
        }
        return store
    }

    /// Returns the work of all pages together and of the largest, and the number of found items.
    private func search(
        _ store: SpotlightStore, _ search: IndexCursor.Search, of family: AppFamily? = "a"
    ) throws -> (work: Int, largest: Int, pages: Int, found: Int) {
        var cursor = IndexCursor(search, of: family, now: 0, limits: store.limits)
        var (largest, pages, found) = (0, 0, 0)
        while !cursor.isAtEnd {
            let before = cursor.work
            found += try store.page(&cursor, count: 64).count
            largest = max(largest, cursor.work - before)
            pages += 1
        }
        return (cursor.work, largest, pages, found)
    }

    @Test func aPageHasABoundedWorkThoughItFindsNothing() throws {
        var limits = SearchLimits()
        limits.workPerPage = 20_000
        let store = try store(3000, text: 1000, limits)
        for query in [
            #"title == "*nowhere*""#, #"rating >= 0 && title == "*nowhere*""#, #"title == "*nowhere*" || rating > 9"#,
        ] {
            let result = try search(store, .query(SearchQuery(query)))
            #expect(result.found == 0 && result.pages > 1, "\(query): \(result)")
            // The first page also asks whether many items have a number.
            #expect(result.largest < limits.workPerPage + 25_000, "\(query): \(result)")
        }
        let result = try search(store, .query(SearchQuery(#"title == "*7""#)))
        #expect(result.found == 300 && result.largest < limits.workPerPage + 64 * 600, "\(result)")
    }

    @Test func theWorkOfABroadSearchGrowsWithItsItemsOnly() throws {
        let (few, many) = (try store(4000), try store(16_000))
        for search in [
            IndexCursor.Search.query(try SearchQuery("rating >= 0")), .words("t"),
            .query(try SearchQuery("title == \"T*\"")),
            .query(try SearchQuery("title == \"*1*\"")), .all,
        ] {
            let (less, more) = (try self.search(few, search), try self.search(many, search))
            #expect(more.found >= 4 * less.found && less.found > 0)
            #expect(more.work < 6 * less.work, "\(search): \(less) \(more)")
        }
    }

    @Test func aQueryThatComparesTooMuchEndsWithAnError() throws {
        var limits = SearchLimits()
        limits.workPerQuery = 1_000_000
        let store = try store(2000, text: 1000, limits)
        // Few comparisons end before the bound.
        #expect(try search(store, .query(SearchQuery(#"title == "*99""#))).found == 20)
        let all = (0..<30).map { "* != \"*nowhere\($0)*\"" }.joined(separator: " && ")
        #expect {
            try search(store, .query(SearchQuery(all)))
        } throws: {
            guard case SpotlightStoreError.tooMuchWork(let why) = $0 else { return false }
            return why.contains("Use fewer comparisons")
        }
    }

    @Test func oneItemThatIsTooMuchForAPageIsDecided() throws {
        var limits = SearchLimits()
        limits.workPerPage = 300
        let store = try store(3, text: 100_000, limits)
        #expect(try search(store, .query(SearchQuery(#"textContent == "*xx*""#))).found == 3)
        #expect(try search(store, .query(SearchQuery(#"textContent == "*y*""#))).found == 0)
        #expect(try search(store, .words("title")).found == 3)
    }

    @Test func aQueryAndItsFiltersHaveTheComparisonsOfOne() throws {
        let many = (0..<40).map { "a == \($0)" }.joined(separator: " || ")
        #expect(throws: Never.self) { try SearchQuery(all: [many, "b == 1"]) }
        let fault = #expect(throws: SearchQuery.Fault.self) { try SearchQuery(all: [many, many]) }
        #expect(fault?.message == "the query and its filters have more than 64 comparisons")
        let query = try SearchQuery(all: ["a == 1", "b == 2 || c == 3"])
        #expect(query.matches(["a": 1, "c": 3]) && !query.matches(["a": 1]) && !query.matches(["b": 2]))
    }

    /// FTS5 and SQLite have parsers with a bounded stack.
    @Test(arguments: ["&&", "||"]) func nestedComparisonsAreSearched(_ operation: String) throws {
        let store = try store(20)
        for (inner, other) in [(operation, operation), ("&&", "||"), ("||", "&&")] {
            for comparison in ["title == \"T*\"", "title == \"*i*\"", "rating >= 0"] {
                var (left, right) = (comparison, comparison)
                for depth in 0..<31 {
                    let operation = depth % 2 == 0 ? inner : other
                    left = "(\(left)) \(operation) \(comparison)"
                    right = "\(comparison) \(operation) (\(right))"
                }
                for query in [left, right] {
                    #expect(try search(store, .query(SearchQuery(query))).found == 20, "\(query)")
                }
            }
        }
    }

    @Test func anInfiniteNumberIsFound() throws {
        let store = try SpotlightStore(path: ":memory:")
        for (identifier, value) in [("a", Double.infinity), ("b", -.infinity), ("c", .nan), ("d", 1)] {
            try store.apply(
                [.put([IndexedItem(identifier: identifier, attributes: ["n": .real(value)])])], of: "a", now: 0)
        }
        for (query, found) in [("n > 5", ["a"]), ("n < -5", ["b"]), ("n >= 0", ["d", "a"]), ("n == 1", ["d"])] {
            #expect(try store.all(.query(SearchQuery(query))).map(\.identifier) == found, "\(query)")
        }
    }
}
