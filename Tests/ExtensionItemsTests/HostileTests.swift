// HostileTests: whatever arrives, the reader answers with values or a named error.

import ExtensionItems
import Foundation
import PropertyListCoding
import Testing

@Suite struct HostileTests {
    /// Reads it in every way there is.
    private func readEverything(_ plist: PropertyList) {
        let value = EncodedValue(plist: plist)
        let table = ProviderTable()
        _ = try? decodeItems(value, loader: Loopback(table: table))
        _ = try? decodeReturnedItems(value, table: table)
        _ = try? decodeValue(value)
        _ = decodeError(plist, table: table).localizedDescription
    }

    @Test(arguments: 0..<4) func changedItemsNeverTrap(_ seed: UInt64) throws {
        var generator = ItemGenerator(seed: 100 + seed)
        for _ in 0..<300 {
            let items = (0..<2).map { _ in generator.item() }
            let plist = try encodeItems(items, into: ProviderTable()).plist
            for _ in 0..<10 { readEverything(changed(plist, &generator)) }
        }
    }

    private static let wrongForms: [PropertyList] = [
        "", 1, [], [1], [[:]], ["$kind": 1], ["$kind": "nothing"], ["$kind": "url"], ["$kind": "url", "string": ""],
        ["$kind": "url", "string": "x", "base": 1], ["$kind": "data", "descriptor": 0],
        ["$kind": "data", "descriptor": -1],
        ["$kind": "data", "descriptor": .integer(.max)], ["$kind": "dictionary"], ["$kind": "attributedString"],
        ["$kind": "error"], ["$kind": "error", "code": 1], [["$kind": "item"]], [["$kind": "item", "userInfo": []]],
        [["$kind": "provider", "number": 1, "types": []]], ["$kind": "ownProvider", "number": 0],
        ["$kind": "loadedProvider", "representations": [["type": "a"]]],
    ]

    @Test(arguments: wrongForms) func wrongFormsNeverTrap(_ plist: PropertyList) {
        readEverything(plist)
        readEverything([["$kind": "item", "userInfo": ["x": plist]]])
        readEverything([
            "$kind": "error", "domain": "d", "code": 1, "underlying": plist, "itemsAndErrors": [["item": plist]],
        ])
    }

    @Test(
        arguments: [(0, 4), (3, 1), (-1, 1), (0, -1), (0, 0), (1, .max), (.max, .max), (.min, 1)] as [(Int64, Int64)])
    func runsOutsideTheirTextAreRefused(_ location: Int64, _ length: Int64) {
        let plist: PropertyList = [
            "$kind": "attributedString", "string": "abc",
            "runs": [["location": .integer(location), "length": .integer(length), "attributes": ["a": 1]]],
        ]
        #expect(throws: ItemCodingError.malformed("a run outside its text")) {
            try decodeValue(EncodedValue(plist: plist))
        }
    }

    @Test func runsThatOverlapAreRefused() {
        let run: PropertyList = ["location": 0, "length": 2, "attributes": [:]]
        let plist: PropertyList = ["$kind": "attributedString", "string": "abc", "runs": [run, run]]
        #expect(throws: ItemCodingError.self) { try decodeValue(EncodedValue(plist: plist)) }
    }

    @Test func depthIsBounded() {
        var plist: PropertyList = 1
        var error: PropertyList = ["$kind": "error", "domain": "d", "code": 1]
        for _ in 0..<300 {
            plist = [plist]
            error = ["$kind": "error", "domain": "d", "code": 1, "underlying": error]
        }
        #expect(throws: ItemCodingError.tooDeep(limit: 32)) { try decodeValue(EncodedValue(plist: plist)) }
        #expect(decodeError(error).domain == "NSItemProviderErrorDomain")
    }

    @Test func providersStandOnlyWhereTheyMay() throws {
        let numbered: PropertyList = [
            [
                "$kind": "item",
                "userInfo": ["NSExtensionItemAttachmentsKey": [["$kind": "provider", "number": 1, "types": ["a"]]]],
            ]
        ]
        let own: PropertyList = [
            ["$kind": "item", "userInfo": ["NSExtensionItemAttachmentsKey": [["$kind": "ownProvider", "number": 1]]]]
        ]
        let table = ProviderTable()
        #expect(throws: ItemCodingError.self) { try decodeReturnedItems(EncodedValue(plist: numbered), table: table) }
        #expect(throws: ItemCodingError.self) {
            try decodeItems(EncodedValue(plist: own), loader: Loopback(table: table))
        }
        #expect(throws: ItemCodingError.unknownProvider(1)) {
            try decodeReturnedItems(EncodedValue(plist: own), table: table)
        }
        #expect(throws: ItemCodingError.self) { try decodeValue(EncodedValue(plist: numbered)) }
    }

    @Test func countsAreBounded() {
        let types = PropertyList.array(Array(repeating: "a", count: 257))
        let item: PropertyList = [
            "$kind": "item", "userInfo": ["p": ["$kind": "provider", "number": 1, "types": types]],
        ]
        let loader = Loopback(table: ProviderTable())
        #expect(throws: ItemCodingError.tooMany("types of an item provider", limit: 256)) {
            try decodeItems(EncodedValue(plist: [item]), loader: loader)
        }
        let many = PropertyList.array(Array(repeating: ["$kind": "item", "userInfo": [:]], count: 1025))
        #expect(throws: ItemCodingError.tooMany("items", limit: 1024)) {
            try decodeItems(EncodedValue(plist: many), loader: loader)
        }
    }

    /// One place in the list replaced, removed or named otherwise.
    private func changed(_ plist: PropertyList, _ generator: inout ItemGenerator) -> PropertyList {
        if generator.number(0...5) == 0 { return replacement(&generator) }
        switch plist {
        case .array(var elements) where !elements.isEmpty:
            let place = generator.number(0...elements.count - 1)
            switch generator.number(0...5) {
            case 0: elements.remove(at: place)
            case 1: elements.append(elements[place])
            default: elements[place] = changed(elements[place], &generator)
            }
            return .array(elements)
        case .dictionary(var entries) where !entries.isEmpty:
            let key = entries.keys[generator.number(0...entries.count - 1)]
            switch generator.number(0...7) {
            case 0: entries[key] = nil
            case 1: entries["$kind"] = kind(&generator)
            default: entries[key] = entries[key].map { changed($0, &generator) }
            }
            return .dictionary(entries)
        default: return replacement(&generator)
        }
    }

    private func replacement(_ generator: inout ItemGenerator) -> PropertyList {
        switch generator.number(0...8) {
        case 0: .integer([-1, 0, 1, .max, .min][generator.number(0...4)])
        case 1: .string(generator.text())
        case 2: .real(.nan)
        case 3: .date(.infinity)
        case 4: .data([0xFF])
        case 5: []
        case 6: [:]
        case 7: ["$kind": kind(&generator)]
        default: .boolean(true)
        }
    }

    private func kind(_ generator: inout ItemGenerator) -> PropertyList {
        let kinds = [
            "null", "url", "data", "dictionary", "attributedString", "error", "item", "provider", "loadedProvider",
            "ownProvider",
        ]
        return .string(kinds[generator.number(0...kinds.count - 1)])
    }
}
