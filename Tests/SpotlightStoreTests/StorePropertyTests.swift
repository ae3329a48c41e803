// StorePropertyTests: what the store finds is what a plain list of its items has, for random items and queries.

import Foundation
import PropertyListCoding
import Testing

@testable import SpotlightStore

@Suite struct StorePropertyTests {
    private static let words = [
        "Ähre", "ahre", "foo", "fooBar", "Bar baz", "x-y", "日本", "ﬁn", "a", "É", "e\u{301}s", "", "İx",
    ]
    private static let names = ["title", "keywords", "comment", "rating", "date"]

    private static func value(_ name: String, _ numbers: inout SeededNumbers) -> PropertyList {
        let text = { (numbers: inout SeededNumbers) -> PropertyList in
            .string(
                (0...Int.random(in: 0...2, using: &numbers)).map { _ in words.randomElement(using: &numbers)! }
                    .joined(separator: [" ", "-", ""].randomElement(using: &numbers)!))
        }
        switch name {
        case "keywords": return .array([text(&numbers), text(&numbers)])
        case "rating": return .integer(Int64.random(in: 0...4, using: &numbers))
        case "date": return .date(Double.random(in: 0...3, using: &numbers).rounded())
        default: return text(&numbers)
        }
    }

    private static func comparison(_ numbers: inout SeededNumbers) -> String {
        let name = (names + ["*", "domainIdentifier"]).randomElement(using: &numbers)!
        let operation = ["==", "==", "==", "!="].randomElement(using: &numbers)!
        if name == "rating" || name == "date" || Int.random(in: 0..<8, using: &numbers) == 0 {
            let compared = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &numbers)!
            return Bool.random(using: &numbers)
                ? "\(name) \(compared) \(Int.random(in: 0...4, using: &numbers))" : "InRange(\(name), 1, 2.5)"
        }
        let word = words.randomElement(using: &numbers)!
        let part = word.isEmpty ? word : String(word.dropFirst(Int.random(in: 0...1, using: &numbers)))
        let other = words.randomElement(using: &numbers)!
        let pattern = ["\(part)", "\(part)*", "*\(part)", "*\(part)*", "\(part)*\(other)", "*\(part) \(other)*"]
            .randomElement(using: &numbers)!
        let modifiers = ["", "c", "d", "cd", "w", "cdw", "t", "cdt"].randomElement(using: &numbers)!
        return "\(name) \(operation) \"\(pattern)\"\(modifiers)"
    }

    private static func query(_ depth: Int, _ numbers: inout SeededNumbers) -> String {
        switch depth == 0 ? 0 : Int.random(in: 0..<5, using: &numbers) {
        case 1: "(\(query(depth - 1, &numbers)) && \(query(depth - 1, &numbers)))"
        case 2: "(\(query(depth - 1, &numbers)) || \(query(depth - 1, &numbers)))"
        case 3: "!(\(query(depth - 1, &numbers)))"
        default: comparison(&numbers)
        }
    }

    /// A list in the place of the store.
    private struct Model {
        var items: [(family: AppFamily, item: IndexedItem)] = []

        mutating func apply(_ change: IndexChange, _ family: AppFamily) {
            switch change {
            case .put(let given):
                for var item in given {
                    let place = items.firstIndex { $0.family == family && $0.item.identifier == item.identifier }
                    if let place {
                        let stored = items.remove(at: place).item
                        if item.isUpdate {
                            var merged = stored
                            for name in item.attributes.keys { merged.attributes[name] = item.attributes[name] }
                            merged.domain = item.domain ?? stored.domain
                            merged.expires = item.expires ?? stored.expires
                            item = merged
                        }
                    }
                    items.append((family, item))
                }
            case .delete(let names): items.removeAll { $0.family == family && names.contains($0.item.identifier) }
            case .deleteDomains(let domains):
                items.removeAll { entry in
                    guard entry.family == family, let domain = entry.item.domain else { return false }
                    return domains.contains { domain == $0 || domain.hasPrefix($0 + ".") }
                }
            case .deleteAll: items.removeAll { $0.family == family }
            }
        }

        func found(_ query: SearchQuery, _ family: AppFamily?, _ now: Double) -> [String] {
            items.reversed().filter { entry in
                guard family == nil || entry.family == family, entry.item.expires ?? IndexedItem.month > now else {
                    return false
                }
                var attributes = entry.item.attributes
                attributes["uniqueIdentifier"] = .string(entry.item.identifier)
                if let domain = entry.item.domain { attributes["domainIdentifier"] = .string(domain) }
                return query.matches(attributes)
            }
            .map(\.item.identifier)
        }
    }

    private static func change(_ numbers: inout SeededNumbers) -> IndexChange {
        let identifier = { (numbers: inout SeededNumbers) in "\(Int.random(in: 0..<30, using: &numbers))" }
        let domains = ["a", "a.b", "a.b.c", "ab", "c"]
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0: return .delete(identifiers: [identifier(&numbers), identifier(&numbers)])
        case 1: return .deleteDomains([domains.randomElement(using: &numbers)!])
        case 2 where Int.random(in: 0..<6, using: &numbers) == 0: return .deleteAll
        default:
            return .put(
                (0..<Int.random(in: 1...6, using: &numbers)).map { _ in
                    var item = IndexedItem(
                        identifier: identifier(&numbers),
                        domain: (domains + [nil, nil]).randomElement(using: &numbers)!,
                        expires: [5, 15, 1000, nil].randomElement(using: &numbers)!,
                        isUpdate: Bool.random(using: &numbers))
                    for name in names where Bool.random(using: &numbers) {
                        item.attributes[name] = value(name, &numbers)
                    }
                    return item
                })
        }
    }

    // spec: SI-3, SI-4, SI-5, SI-6, SI-11
    @Test(arguments: 1...12) func theStoreFindsWhatAListHas(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        var limits = SearchLimits()
        limits.rowsPerPage = 7
        // Looks end at their bound, too.
        if seed % 3 == 0 { limits.workPerPage = 2000 }
        let store = try SpotlightStore(path: ":memory:", limits: limits)
        var model = Model()
        for step in 0..<60 {
            let family = (["one", "two"] as [AppFamily]).randomElement(using: &numbers)!
            let change = Self.change(&numbers)
            if Bool.random(using: &numbers) {
                try store.apply([change], of: family, now: 0)
            } else {
                let batch = try store.beginBatch(of: family)
                try store.stage(change, in: batch)
                try store.commit(batch, index: "i", state: [], now: 0)
            }
            model.apply(change, family)
            for _ in 0..<6 {
                let text = Self.query(2, &numbers)
                let query = try SearchQuery(text)
                let scope = (["one", nil] as [AppFamily?]).randomElement(using: &numbers)!
                let now = [0.0, 10].randomElement(using: &numbers)!
                let found = try store.all(.query(query), of: scope, now: now).map(\.identifier)
                #expect(found == model.found(query, scope, now), "\(step): \(text)")
            }
        }
        try store.verify()
    }
}
