// WireTests: what is written is what is read, and what cannot travel is refused by name.

import ExtensionItems
import Foundation
import PropertyListCoding
import Testing

@Suite struct WireTests {
    // spec: P-055
    @Test(arguments: 0..<4) func itemsArriveEqualFieldByField(_ seed: UInt64) throws {
        var generator = ItemGenerator(seed: seed)
        for _ in 0..<500 {
            let items = (0..<generator.number(0...3)).map { _ in generator.item() }
            let arrived = try sent(items, table: ProviderTable())
            #expect(same(arrived, items), "\(items)")
        }
    }

    @Test(arguments: 4..<8) func valuesArriveEqual(_ seed: UInt64) throws {
        var generator = ItemGenerator(seed: seed)
        for _ in 0..<500 {
            let item = NSExtensionItem()
            item.userInfo = ["value": generator.value()]
            #expect(same(try sent([item], table: ProviderTable()).first, item), "\(item)")
        }
    }

    @Test func naturalValuesStandForThemselves() throws {
        let value: [String: Any] = ["s": "x", "i": 1, "r": 0.5, "b": true, "d": Data([1]), "a": [1]]
        #expect(
            try encodeValue(value).plist == ["s": "x", "i": 1, "r": 0.5, "b": true, "d": .data([1]), "a": [1]])
        #expect(try encodeValue(Date(timeIntervalSinceReferenceDate: 9)).plist == .date(9))
        #expect(try encodeValue(Int8(-3)).plist == .integer(-3))
        #expect(try encodeValue(UInt64(7)).plist == .integer(7))
        #expect(try encodeValue(Float(1.5)).plist == .real(1.5))
    }

    @Test func nilTravelsAsNull() throws {
        #expect(try encodeValue(nil).plist == ["$kind": "null"])
        #expect(try decodeValue(EncodedValue(plist: ["$kind": "null"])) == nil)
    }

    /// An optional inside of an `Any` is what it holds, object or not.
    @Test func anOptionalTravelsAsWhatItHolds() throws {
        func held<Value>(_ value: Value?) -> Any { value as Any }
        #expect(try encodeValue(held("x")).plist == "x")
        #expect(try encodeValue(held(NSString("x"))).plist == "x")
        #expect(try encodeValue(held(NSNumber(value: 3))).plist == 3)
        #expect(try encodeValue(held(NSNull())).plist == ["$kind": "null"])
        #expect(try encodeValue(AnyHashable(NSNull())).plist == ["$kind": "null"])
        let hashed = try decodeValue(encodeValue([AnyHashable(NSAttributedString(string: "text"))]))
        #expect((hashed as? [Any])?.first as? NSAttributedString == NSAttributedString(string: "text"))
        let item = NSExtensionItem()
        item.userInfo = [
            "inner": held(NSAttributedString(string: "text")), "list": [held(URL(string: "x:y")), held(7)],
        ]
        let read = try #require(try decodeValue(encodeValue(held(item))) as? NSExtensionItem)
        #expect(read.userInfo?["inner"] as? NSAttributedString == NSAttributedString(string: "text"))
        #expect((read.userInfo?["list"] as? [Any])?.last as? Int == 7)
    }

    @Test func aUsersDictionaryWithTheReservedKeyIsWrapped() throws {
        let value: [String: Any] = ["$kind": "url", "string": "x", "inner": ["$kind": 3]]
        let encoded = try encodeValue(value)
        #expect(encoded.plist.dictionary?["$kind"] == "dictionary")
        #expect(same(try decodeValue(encoded), value))
    }

    @Test func aURLKeepsItsBase() throws {
        let url = try #require(URL(string: "b?c", relativeTo: URL(string: "https://example.org/a/")))
        let object = try #require(NSURL(string: "b?c", relativeTo: URL(string: "https://example.org/a/")))
        for value in [url as Any, object as Any] {
            let read = try #require(try decodeValue(encodeValue(value)) as? NSURL)
            #expect(read.relativeString == "b?c")
            #expect(read.baseURL?.absoluteString == "https://example.org/a/")
            #expect((read as URL).absoluteString == "https://example.org/a/b?c")
        }
    }

    @Test func whatCannotTravelIsRefusedByName() throws {
        #expect(throws: ItemCodingError.unsupportedValue(type: "NSObject")) { try encodeValue(NSObject()) }
        #expect(throws: ItemCodingError.nonStringKey("1")) { try encodeValue([1: "a"]) }
        #expect(throws: ItemCodingError.unsupportedNumber("18446744073709551615")) { try encodeValue(UInt64.max) }
        #expect(throws: ItemCodingError.providerNotAllowed) { try encodeValue(NSItemProvider()) }
        let text = NSAttributedString(string: "x", attributes: [.init("color"): NSObject()])
        #expect(throws: ItemCodingError.unsupportedAttribute(name: "color", type: "NSObject")) { try encodeValue(text) }
        let deep = (0..<32).reduce([1] as [Any]) { inner, _ in [inner] }
        #expect(throws: ItemCodingError.tooDeep(limit: 32)) { try encodeValue(deep) }
        let item = NSExtensionItem()
        item.userInfo = ["self": item]
        #expect(throws: ItemCodingError.tooDeep(limit: 32)) { try encodeItems([item], into: ProviderTable()) }
        item.userInfo = nil
        #expect(throws: ItemCodingError.tooMany("items", limit: 1024)) {
            try encodeItems((0...1024).map { _ in NSExtensionItem() }, into: ProviderTable())
        }
    }

    @Test func aRemedyStandsInEveryWritingError() {
        let errors: [ItemCodingError] = [
            .unsupportedValue(type: "X"), .unsupportedAttribute(name: "a", type: "X"), .nonStringKey("1"),
            .unsupportedNumber("1"),
            .providerNotAllowed, .tooDeep(limit: 1), .tooMany("items", limit: 1),
        ]
        for error in errors {
            #expect(error.description.contains(";") && error.localizedDescription == error.description)
        }
    }

    // spec: P-074
    @Test func representationsOfThisProcessAloneAreNotNamed() throws {
        let provider = NSItemProvider(item: "x" as NSString, typeIdentifier: "public.text")
        provider.registerDataRepresentation(forTypeIdentifier: "org.example.secret", visibility: .ownProcess) {
            answer in
            answer(Data(), nil)
            return nil
        }
        let item = NSExtensionItem()
        item.attachments = [provider]
        let arrived = try sent([item], table: ProviderTable())
        #expect(arrived.first?.attachments?.first?.registeredTypeIdentifiers == ["public.text"])
    }

    @Test func oneProviderInSeveralPlacesStaysOne() throws {
        let provider = NSItemProvider(item: "x" as NSString, typeIdentifier: "public.text")
        let item = NSExtensionItem()
        item.attachments = [provider, provider]
        let table = ProviderTable()
        let arrived = try #require(try sent([item, item], table: table).last?.attachments)
        #expect(arrived.count == 2 && arrived[0] === arrived[1])
        #expect(table.count == 1 && table[1] === provider)
        table.removeAll()
        #expect(table.count == 0 && table.register(provider) == 2)
    }
}
