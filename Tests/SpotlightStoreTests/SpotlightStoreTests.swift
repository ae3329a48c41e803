// SpotlightStoreTests: changes, batches and searches of the store, and its bounds.

import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@testable public import SpotlightStore

extension AppFamily: ExpressibleByStringLiteral {
    /// A family of a test, whose bundle has its name.
    public init(stringLiteral identifier: String) { self.init(identifier, owner: "/apps/\(identifier)") }
}

extension SpotlightStore {
    /// Returns all items that a search finds, in pages of three.
    func all(
        _ search: IndexCursor.Search = .all, of family: AppFamily? = nil, now: Double = 0
    ) throws -> [FoundItem] {
        var found: [FoundItem] = []
        var cursor = IndexCursor(search, of: family, now: now, limits: limits)
        while !cursor.isAtEnd { found += try page(&cursor, count: 3) }
        return found
    }
}

@Suite struct SpotlightStoreTests {
    private static let later = 1e9

    static func item(
        _ identifier: String, _ title: String = "Title", domain: String? = nil, expires: Double = later
    ) -> IndexedItem {
        IndexedItem(identifier: identifier, domain: domain, expires: expires, attributes: ["title": .string(title)])
    }

    private func store(_ limits: SearchLimits = SearchLimits()) throws -> SpotlightStore {
        try SpotlightStore(path: ":memory:", limits: limits)
    }

    private func found(
        _ store: SpotlightStore, _ search: IndexCursor.Search = .all, of family: AppFamily? = nil, now: Double = 0
    ) throws -> [String] {
        try store.all(search, of: family, now: now).map(\.identifier)
    }

    // spec: SI-3
    @Test func anItemIsAddedOrReplacedInItsFamily() throws {
        let store = try store()
        #expect(try store.apply([.put([Self.item("1", "old"), Self.item("2")])], of: "a", now: 0).added == 2)
        #expect(try store.apply([.put([Self.item("1", "new")])], of: "a", now: 0) == IndexEffect(replaced: 1))
        #expect(try store.apply([.put([Self.item("1", "other")])], of: "b", now: 0) == IndexEffect(added: 1))
        #expect(try found(store, .words("new")) == ["1"])
        #expect(try found(store, .words("old")).isEmpty)
        #expect(try found(store, of: "a") == ["1", "2"])
        #expect(try found(store, .words("new"), of: "b").isEmpty)
        #expect(try store.count() == 3 && store.count(of: "a") == 2 && store.count(of: "c") == 0)
        try store.verify()
    }

    // spec: SI-4
    @Test func anUpdateKeepsTheAttributesThatItLacks() throws {
        let store = try store()
        var first = Self.item("1", "Title", domain: "a.b")
        first.attributes["rating"] = 5
        first.thumbnail = [1, 2, 3]
        var update = IndexedItem(identifier: "1", expires: Self.later, attributes: ["title": "Other"], isUpdate: true)
        try store.apply([.put([first]), .put([update])], of: "a", now: 0)
        let kept = try #require(try store.all().first)
        #expect(kept.attributes == ["title": "Other", "rating": 5] && kept.domain == "a.b")
        #expect(try store.thumbnail(of: "1", family: "a") == [1, 2, 3])
        #expect(try found(store, .query(SearchQuery("rating == 5"))) == ["1"])

        update.isUpdate = false
        try store.apply([.put([update])], of: "a", now: 0)
        let whole = try #require(try store.all().first)
        #expect(whole.attributes == ["title": "Other"] && whole.domain == nil)
        #expect(try store.thumbnail(of: "1", family: "a") == nil)
        #expect(try found(store, .query(SearchQuery("rating == 5"))).isEmpty)
    }

    // spec: SI-5
    @Test func aDomainIsDeletedWithThoseBelowIt() throws {
        let store = try store()
        let domains = ["a", "a.b", "a.b.c", "a.bc", "ab", "a.b/c", "a-b"]
        try store.apply([.put(domains.map { Self.item($0, domain: $0) } + [Self.item("none")])], of: "f", now: 0)
        #expect(try store.apply([.deleteDomains(["a.b"])], of: "g", now: 0).deleted == 0)
        #expect(try store.apply([.deleteDomains(["a.b"])], of: "f", now: 0).deleted == 2)
        #expect(Set(try found(store)) == ["a", "a.bc", "ab", "a.b/c", "a-b", "none"])
        #expect(try store.apply([.deleteDomains(["a"])], of: "f", now: 0).deleted == 3)
        #expect(Set(try found(store)) == ["ab", "a-b", "none"])
        try store.verify()
    }

    @Test func itemsAreDeletedByIdentifierAndAltogether() throws {
        let store = try store()
        try store.apply([.put((0..<5).map { Self.item("\($0)") })], of: "a", now: 0)
        try store.apply([.put([Self.item("0")])], of: "b", now: 0)
        #expect(try store.apply([.delete(identifiers: ["0", "3", "9"])], of: "a", now: 0).deleted == 2)
        #expect(try found(store, of: "a") == ["4", "2", "1"])
        #expect(try store.apply([.deleteAll], of: "a", now: 0).deleted == 3)
        #expect(try found(store) == ["0"] && store.count() == 1)
        try store.verify()
    }

    // spec: SI-6
    @Test func anExpiredItemIsNotFoundAndGoesWithTheNextChange() throws {
        let store = try store()
        try store.apply([.put([Self.item("1", expires: 100), Self.item("2", expires: 200)])], of: "a", now: 0)
        #expect(try found(store, .words("title"), now: 99) == ["2", "1"])
        #expect(try found(store, .words("title"), now: 100) == ["2"])
        #expect(try found(store, .query(SearchQuery(#"title == "*t*""#)), now: 150) == ["2"])
        #expect(try store.count() == 2)
        try store.apply([], of: "b", now: 150)
        #expect(try store.count() == 1)
        try store.verify()
    }

    // spec: SI-12
    @Test func freeWordsSearchTheMainTextsByTheirBeginnings() throws {
        let store = try store()
        var item = Self.item("1", "Crème brûlée")
        item.attributes["keywords"] = ["Dessert", "French cooking"]
        item.attributes["authorNames"] = ["Émile Zola"]
        item.attributes["textContent"] = "Caramelize the sugar."
        item.attributes["contentDescription"] = "A recipe"
        item.attributes["displayName"] = "brulee.txt"
        item.attributes["comment"] = "hidden"
        item.attributes["com_example_flavour"] = "Vanilla"
        item.attributes["rating"] = 5
        item.searchableNames = ["com_example_flavour"]
        try store.apply([.put([item, Self.item("2", "Other")])], of: "a", now: 0)
        for words in [
            "crème", "creme", "CREME", "crem brul", "brul crem", "dess", "cook", "emile", "zola sugar", "recipe",
            "vani",
            "brulee.txt", "zo - la", "\"creme\"", "creme*",
        ] where words != "zo - la" {
            #expect(try found(store, .words(words)) == ["1"], "\(words)")
        }
        for words in ["reme", "hidden", "creme other", "", "  ", "-", "\"", "5", "NOT creme2", "title:creme"] {
            #expect(try found(store, .words(words)).isEmpty, "\(words)")
        }
        // Words of the search's own language are words.
        #expect(try found(store, .words("AND")).isEmpty && found(store, .words("other OR")).isEmpty)
    }

    // spec: SI-12
    @Test(arguments: ["שלום עולם", "สวัสดี ชาวโลก", "नमस्ते दुनिया", "բարև աշխարհ", "გამარჯობა მსოფლიო", "مرحبا بالعالم"])
    func freeWordsOfAnyScriptAreFound(title: String) throws {
        let store = try store()
        try store.apply([.put([Self.item("1", title), Self.item("2", "Other")])], of: "a", now: 0)
        for word in title.split(separator: " ") {
            #expect(try found(store, .words(String(word))) == ["1"])
            #expect(try found(store, .words("\(word) other")).isEmpty)
        }
    }

    // spec: SI-13
    @Test func attributesWithoutAUseComeBack() throws {
        let store = try store()
        var item = Self.item("1")
        item.attributes["future"] = ["x": [1, 2.5, true, .data([9])], "y": .date(5)]
        try store.apply([.put([item])], of: "a", now: 0)
        #expect(try store.all().first?.attributes == item.attributes)
    }

    // spec: SI-7
    @Test func aBatchIsInTheIndexWholeOrNotAtAll() throws {
        let store = try store()
        try store.apply([.put([Self.item("old")])], of: "a", now: 0)
        let batch = try store.beginBatch(of: "a")
        try store.stage(.put([Self.item("1"), Self.item("2")]), in: batch)
        try store.stage(.delete(identifiers: ["old"]), in: batch)
        #expect(try found(store) == ["old"])
        #expect(try store.clientState(of: "main", family: "a") == nil)
        let effect = try store.commit(batch, index: "main", state: [1, 2], now: 0)
        #expect(effect == IndexEffect(added: 2, deleted: 1))
        #expect(try found(store) == ["2", "1"])
        #expect(try store.clientState(of: "main", family: "a") == [1, 2])
        #expect(try store.clientState(of: "other", family: "a") == nil)
        #expect(try store.clientState(of: "main", family: "b") == nil)

        let dropped = try store.beginBatch(of: "a")
        try store.stage(.deleteAll, in: dropped)
        store.drop(dropped)
        #expect(throws: SpotlightStoreError.self) { try store.commit(dropped, index: "main", state: [3], now: 0) }
        #expect(try found(store) == ["2", "1"])
        #expect(try store.clientState(of: "main", family: "a") == [1, 2])
    }

    // spec: SI-7
    @Test func aBatchWithARefusedChangeIsNotApplied() throws {
        let store = try store()
        let batch = try store.beginBatch(of: "a")
        try store.stage(.put([Self.item("1")]), in: batch)
        #expect(throws: SpotlightStoreError.self) { try store.stage(.put([Self.item("")]), in: batch) }
        try store.stage(.put([Self.item("2")]), in: batch)
        #expect(throws: SpotlightStoreError.self) { try store.commit(batch, index: "main", state: [1], now: 0) }
        #expect(try store.count() == 0 && store.clientState(of: "main", family: "a") == nil)
        try store.verify()
    }

    // spec: SI-7
    @Test func aClientStateHasAtMost250Bytes() throws {
        let store = try store()
        let most = [UInt8](repeating: 7, count: 250)
        try store.commit(try store.beginBatch(of: "a"), index: "main", state: most, now: 0)
        #expect(try store.clientState(of: "main", family: "a") == most)
        let batch = try store.beginBatch(of: "a")
        try store.stage(.put([Self.item("1")]), in: batch)
        #expect {
            try store.commit(batch, index: "main", state: most + [7], now: 0)
        } throws: {
            if case SpotlightStoreError.invalidClientState = $0 { true } else { false }
        }
        #expect(try store.clientState(of: "main", family: "a") == most && store.count() == 0)
    }

    @Test func allThatComesFromAppsIsBounded() throws {
        var limits = SearchLimits()
        (limits.itemsPerChange, limits.namesPerDeletion, limits.nameBytes, limits.attributes) = (3, 2, 10, 4)
        (limits.itemBytes, limits.thumbnailBytes, limits.itemsPerFamily, limits.openBatches) = (1000, 5, 6, 2)
        (limits.batchBytes, limits.clientStates, limits.bytesPerFamily) = (2000, 2, 5000)
        let store = try store(limits)
        func refused(_ change: IndexChange) -> Bool {
            do {
                try store.apply([change], of: "a", now: 0)
                return false
            } catch { return true }
        }
        var many = Self.item("1")
        for number in 0..<4 { many.attributes["n\(number)"] = .integer(Int64(number)) }
        var picture = Self.item("1")
        picture.thumbnail = [1, 2, 3, 4, 5, 6]
        var endless = Self.item("1")
        endless.expires = .nan
        var named = Self.item("1")
        named.attributes["a long name"] = "x"
        #expect(refused(.put((0..<4).map { Self.item("\($0)") })))
        #expect(refused(.delete(identifiers: ["1", "2", "3"])) && refused(.deleteDomains(["12345678901"])))
        #expect(refused(.put([Self.item("12345678901")])) && refused(.put([Self.item("")])))
        #expect(refused(.put([Self.item("a\0b")])) && refused(.put([many])) && refused(.put([picture])))
        #expect(refused(.put([endless])) && refused(.put([named])))
        #expect(refused(.put([Self.item("1", String(repeating: "x", count: 1000))])))
        #expect(try store.count() == 0)

        #expect(
            !refused(.put((0..<3).map { Self.item("\($0)") })) && !refused(.put((3..<6).map { Self.item("\($0)") })))
        #expect(refused(.put([Self.item("6")])) && !refused(.put([Self.item("5")])))
        let long = String(repeating: "x", count: 900)
        #expect(!refused(.put([Self.item("0", long), Self.item("1", long)])) && refused(.put([Self.item("2", long)])))
        #expect(try store.count() == 6)
        try store.verify()

        // Each number of an array is found by itself, and has a row.
        var counted = Self.item("0")
        counted.attributes["n"] = .array((0..<4).map { .integer($0) })
        limits.numbersPerItem = 3
        #expect(throws: SpotlightStoreError.self) {
            try SpotlightStore(path: ":memory:", limits: limits).apply([.put([counted])], of: "a", now: 0)
        }

        let batch = try store.beginBatch(of: "a")
        _ = try store.beginBatch(of: "a")
        #expect(throws: SpotlightStoreError.self) { try store.beginBatch(of: "a") }
        #expect(throws: Never.self) { try store.beginBatch(of: "b") }
        try store.stage(.put([Self.item("1", long)]), in: batch)
        #expect(throws: SpotlightStoreError.self) {
            for _ in 0..<2 { try store.stage(.put([Self.item("1", long)]), in: batch) }
        }
        store.drop(batch)
        for name in ["1", "2"] { try store.commit(try store.beginBatch(of: "c"), index: name, state: [], now: 0) }
        let third = try store.beginBatch(of: "c")
        #expect(throws: SpotlightStoreError.self) { try store.commit(third, index: "3", state: [], now: 0) }
    }

    @Test func aPageReadsABoundedNumberOfItems() throws {
        var limits = SearchLimits()
        limits.rowsPerPage = 10
        let store = try store(limits)
        try store.apply([.put((0..<25).map { Self.item("\($0)", "T\($0)") })], of: "a", now: 0)
        let query = IndexCursor.Search.query(try SearchQuery(#"title != "T*" || title == "T0""#))
        var cursor = IndexCursor(query, now: 0, limits: limits)
        #expect(try store.read(&cursor, count: 50).count == 10 && !cursor.isAtEnd)
        #expect(try found(store, query) == ["0"])
        #expect(try found(store, .words("t")) == (0..<25).reversed().map { "\($0)" })
    }

    @Test func aPageReadsABoundedNumberOfBytes() throws {
        var limits = SearchLimits()
        limits.bytesPerPage = 1000
        let store = try store(limits)
        let long = String(repeating: "x", count: 600)
        try store.apply([.put((0..<5).map { Self.item("\($0)", "T\($0) \(long)") })], of: "a", now: 0)
        var cursor = IndexCursor(.query(try SearchQuery(#"title != "T*""#)), now: 0, limits: limits)
        #expect(try store.read(&cursor, count: 5).count == 2 && !cursor.isAtEnd)
        #expect(try found(store, .query(try SearchQuery(#"title == "T0*" || title != "*x""#))) == ["0"])
    }

    /// More comparisons than SQLite gets.
    @Test func aQueryOfManyPatternsFindsWhatItShould() throws {
        let store = try store()
        try store.apply([.put((0..<40).map { Self.item("\($0)", "a\($0)z") })], of: "a", now: 0)
        let patterns = (0..<40).map { "title == \"*\($0)z\"" }
        #expect(try found(store, .query(try SearchQuery(patterns.joined(separator: " || ")))).count == 40)
        let all = ["a", "1", "z", "12", "2z", "12z", "a1", "a12", "a12z", "", "2"].map { "title == \"*\($0)*\"" }
        #expect(try found(store, .query(try SearchQuery(all.joined(separator: " && ")))) == ["12"])
    }

    @Test func aNewerFileIsRefusedAndADamagedOneReported() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let path = folder.path + "/index.sqlite"
        try Data(repeating: 0x55, count: 8192).write(to: URL(fileURLWithPath: path))
        #expect(throws: SpotlightStoreError.self) { try SpotlightStore(path: path) }
    }
}
