// DictionaryTests: the dictionary keeps order, few entries or many.

import PropertyListCoding
import Testing

@Suite struct DictionaryTests {
    @Test(arguments: [3, 16, 17, 200]) func `entries can be added, changed and removed, and the rest keeps its order`(
        count: Int
    ) {
        var entries = PropertyListDictionary((0..<count).map { ("key \($0)", PropertyList.integer(Int64($0))) })
        #expect(entries.keys == (0..<count).map { "key \($0)" })
        entries["key 1"] = "changed"
        entries["key 0"] = nil
        entries["missing"] = nil
        #expect(entries.count == count - 1)
        #expect(entries["key 0"] == nil)
        #expect(entries["key 1"] == "changed")
        for index in 2..<count { #expect(entries["key \(index)"] == .integer(Int64(index))) }
        entries["key 0"] = 0
        #expect(entries.keys.last == "key 0")
        #expect(zip(entries.keys, entries.values).elementsEqual(entries, by: ==))
    }

    @Test func `it behaves as a plain list of pairs does, change by change`() {
        var random = SeededGenerator(seed: 11)
        var entries = PropertyListDictionary()
        var model: [(key: String, value: PropertyList)] = []
        for step in 0..<4000 {
            let key = "k\(Int.random(in: 0..<40, using: &random))"
            let value: PropertyList? = Int.random(in: 0..<3, using: &random) == 0 ? nil : .integer(Int64(step))
            let place = model.firstIndex { $0.key == key }
            switch (place, value) {
            case (let place?, let value?): model[place].value = value
            case (let place?, nil): model.remove(at: place)
            case (nil, let value?): model.append((key, value))
            case (nil, nil): break
            }
            entries[key] = value
            #expect(entries.keys == model.map(\.key))
            #expect(entries.values == model.map(\.value))
        }
    }

    @Test(arguments: [4, 40]) func `order does not count for equality or hash`(count: Int) {
        let pairs = (0..<count).map { ("key \($0)", PropertyList.integer(Int64($0))) }
        let (left, right) = (PropertyListDictionary(pairs), PropertyListDictionary(pairs.reversed()))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        var other = right
        other["key 2"] = "changed"
        #expect(left != other)
    }

    @Test func `ten thousand entries are put in and found in a moment`() {
        var entries = PropertyListDictionary()
        for index in 0..<10_000 { entries["key \(index)"] = .integer(Int64(index)) }
        #expect((0..<10_000).allSatisfy { entries["key \($0)"] == .integer(Int64($0)) })
    }

    @Test func `a dictionary is empty until it has an entry, and is a sequence of its entries`() {
        var entries = PropertyListDictionary()
        #expect(entries.isEmpty)
        entries["first"] = 1
        #expect(!entries.isEmpty)
        #expect(Array(entries).map(\.0) == ["first"])
        #expect(entries != ["first": 1, "second": 2])
    }

    @Test func `a value takes seventeen bytes`() { #expect(MemoryLayout<PropertyList>.size == 17) }
}
