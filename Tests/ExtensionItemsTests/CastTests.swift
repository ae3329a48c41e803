// CastTests: every cast that an author may write works on a loaded value; that they compile without a warning is the
// other half of the proof.

import ExtensionItems
import Foundation
import Testing

@Suite struct CastTests {
    private static let url = URL(string: "https://example.org/a?b")!  // a literal that is a URL

    /// The value as a load handler here gives it and as it comes from another process.
    private func values(_ value: Any) async throws -> [Any] {
        let box = Box(value: value)
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "org.example.value") { answer, _, _ in answer?(box.value, nil) }
        let table = ProviderTable()
        let item = NSExtensionItem()
        item.attachments = [provider]
        let remote = try #require(try sent([item], table: table).first?.attachments?.first)
        return [
            try #require(try await provider.loadItem(forTypeIdentifier: "org.example.value")),
            try #require(try await remote.loadItem(forTypeIdentifier: "org.example.value")),
        ]
    }

    private struct Box: @unchecked Sendable { let value: Any }

    // spec: P-087
    @Test(arguments: [true, false]) func aURLIsBothURLs(_ isObject: Bool) async throws {
        for value in try await values(isObject ? Self.url as NSURL as Any : Self.url as Any) {
            #expect(value as? URL == Self.url)
            #expect((value as? NSURL)?.absoluteString == Self.url.absoluteString)
            #expect(value is any NSSecureCoding && !(value is String))
        }
    }

    // spec: P-087
    @Test(arguments: [true, false]) func dataIsBothDatas(_ isObject: Bool) async throws {
        for value in try await values(isObject ? NSData(data: Data([1, 2])) as Any : Data([1, 2]) as Any) {
            #expect(value as? Data == Data([1, 2]))
            #expect((value as? NSData)?.length == 2)
            #expect(value is any NSSecureCoding)
        }
    }

    // spec: P-087
    @Test(arguments: [true, false]) func textIsBothStrings(_ isObject: Bool) async throws {
        for value in try await values(isObject ? NSString(string: "é") as Any : "é" as Any) {
            #expect(value as? String == "é")
            #expect((value as? NSString)?.length == 1)
            #expect(value is any NSSecureCoding && !(value is URL))
        }
    }

    // spec: P-087
    @Test(arguments: [true, false]) func aDictionaryIsBothAndSoAreThoseInside(_ isObject: Bool) async throws {
        let plain: [String: Any] = [
            "inner": ["n": 1, "url": Self.url] as [String: Any], "list": [1, "two"] as [Any], "flag": true,
        ]
        for value in try await values(isObject ? NSDictionary(dictionary: plain) as Any : plain as Any) {
            let dictionary = try #require(value as? [String: Any])
            #expect((value as? NSDictionary)?.count == 3)
            #expect(value is any NSSecureCoding && value is [AnyHashable: Any])
            let inner = try #require(dictionary["inner"] as? [String: Any])
            #expect((dictionary["inner"] as? NSDictionary)?.count == 2)
            #expect(inner["n"] as? Int == 1 && inner["url"] as? URL == Self.url && inner["url"] is NSURL)
            #expect((dictionary["list"] as? [Any])?.last as? String == "two")
            #expect((dictionary["list"] as? NSArray)?.count == 2)
            #expect(dictionary["flag"] as? Bool == true)
        }
    }

    // spec: P-087
    @Test func numbersAndDatesCastToTheirSwiftTypes() async throws {
        for value in try await values(3) { #expect(value as? Int == 3 && (value as? NSNumber)?.intValue == 3) }
        for value in try await values(2.5) { #expect(value as? Double == 2.5 && !(value is Bool)) }
        for value in try await values(true) { #expect(value as? Bool == true) }
        let date = Date(timeIntervalSinceReferenceDate: 5)
        for value in try await values(date) { #expect(value as? Date == date && value is NSDate) }
    }
}
