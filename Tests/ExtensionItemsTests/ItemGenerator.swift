// ItemGenerator: items of every shape that can travel, from a seed.

import ExtensionItems
import Foundation
import Testing

struct ItemGenerator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func text() -> String {
        let pieces = ["", "a", "$kind", "größe", "日本語", "👩‍👩‍👧", "line\nbreak", "\u{0}", "x=1&y=2", "value", "item"]
        return (0..<number(0...3)).map { _ in pieces[number(0...pieces.count - 1)] }.joined()
    }

    mutating func url() -> URL {
        switch number(0...3) {
        case 0: URL(fileURLWithPath: "/tmp/å b \(number(0...99))")
        case 1:
            URL(string: "part/\(number(0...99))?q=%20#f", relativeTo: URL(string: "https://example.org/dir/")) ?? other
        default: other
        }
    }

    private var other: URL { URL(fileURLWithPath: "/") }

    mutating func attributedString() -> NSAttributedString {
        let text = NSMutableAttributedString(string: "é👍" + self.text())
        for _ in 0..<number(0...3) {
            let start = number(0...text.length - 1)
            let range = NSRange(location: start, length: number(1...text.length - start))
            let value: Any =
                switch number(0...3) {
                case 0: url()
                case 1: self.text()
                case 2: NSNumber(value: number(-5...5))
                default: NSNumber(value: true)
                }
            text.addAttribute(NSAttributedString.Key(rawValue: "key\(number(0...3))"), value: value, range: range)
        }
        return text
    }

    mutating func value(depth: Int = 0) -> Any {
        switch number(0...(depth < 4 ? 12 : 9)) {
        case 0: text()
        case 1: number(Int.min...Int.max)
        case 2: number(0...1) == 0
        case 3: Double(number(-1000...1000)) / 8
        case 4: Data((0..<number(0...40)).map { UInt8(truncatingIfNeeded: $0 &* 37) })
        case 5: Date(timeIntervalSinceReferenceDate: Double(number(-1_000_000...1_000_000)))
        case 6: url()
        case 7: NSNull()
        case 8: attributedString()
        case 9:
            NSError(
                domain: "d" + text(), code: number(-9...9),
                userInfo: [NSLocalizedDescriptionKey: text(), "k": number(0...9)])
        case 10: (0..<number(0...4)).map { _ in value(depth: depth + 1) }
        case 11: item(depth: depth + 2)
        default: dictionary(depth: depth + 1)
        }
    }

    mutating func dictionary(depth: Int) -> [String: Any] {
        var dictionary: [String: Any] = [:]
        for _ in 0..<number(0...4) { dictionary[text()] = value(depth: depth) }
        return dictionary
    }

    mutating func provider() -> NSItemProvider {
        let provider = NSItemProvider()
        for _ in 0..<number(0...3) {
            let data = Data(text().utf8)
            provider.registerDataRepresentation(forTypeIdentifier: "org.example.t\(number(0...9))", visibility: .all) {
                answer in
                answer(data, nil)
                return nil
            }
        }
        if number(0...1) == 0 { provider.suggestedName = text() }
        return provider
    }

    mutating func item(depth: Int = 0) -> NSExtensionItem {
        let item = NSExtensionItem()
        if number(0...2) == 0 { item.userInfo = dictionary(depth: depth) }
        if number(0...1) == 0 { item.attributedTitle = attributedString() }
        if number(0...1) == 0 { item.attributedContentText = attributedString() }
        if number(0...1) == 0 { item.attachments = (0..<number(0...2)).map { _ in provider() } }
        return item
    }
}

/// Whether two values are the same to everybody who reads them: the forms of Swift and Foundation do not differ.
func same(_ left: Any?, _ right: Any?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left as NSExtensionItem, let right as NSExtensionItem): same(left.userInfo, right.userInfo)
    case (let left as NSItemProvider, let right as NSItemProvider):
        left.registeredTypeIdentifiers == right.registeredTypeIdentifiers && left.suggestedName == right.suggestedName
    case (let left as NSAttributedString, let right as NSAttributedString): sameText(left, right)
    case (let left as NSError, let right as NSError):
        left.domain == right.domain && left.code == right.code && same(left.userInfo, right.userInfo)
    case (let left as String, let right as String): left == right
    case (let left as NSNumber, let right as NSNumber):
        left == right && String(cString: left.objCType) == String(cString: right.objCType)
            || left == right && !["c", "d"].contains(String(cString: left.objCType))
    case (let left as URL, let right as URL): left.absoluteString == right.absoluteString
    case (let left as [AnyHashable: Any], let right as [AnyHashable: Any]):
        left.count == right.count && left.allSatisfy { same($0.value, right[$0.key]) }
    case (let left as [Any], let right as [Any]):
        left.count == right.count && zip(left, right).allSatisfy { same($0, $1) }
    case (let left as NSObject, let right as NSObject): left.isEqual(right)
    default: false
    }
}

/// Compares every value that the attachments of two items have, by loading it on both sides.
func expectSameValues(_ left: NSExtensionItem, _ right: NSExtensionItem) async throws {
    for (left, right) in zip(left.attachments ?? [], right.attachments ?? []) {
        for type in right.registeredTypeIdentifiers {
            let found = try await left.loadDataRepresentation(forTypeIdentifier: type)
            let expected = try await right.loadDataRepresentation(forTypeIdentifier: type)
            #expect(found == expected, "\(type)")
        }
    }
}

/// Character by character: how the runs are cut is no part of a text.
private func sameText(_ left: NSAttributedString, _ right: NSAttributedString) -> Bool {
    guard left.string == right.string, left.length == right.length else { return false }
    return (0..<left.length).allSatisfy { place in
        same(
            Dictionary(
                uniqueKeysWithValues: left.attributes(at: place, effectiveRange: nil).map {
                    ($0.key.rawValue, $0.value)
                }),
            Dictionary(
                uniqueKeysWithValues: right.attributes(at: place, effectiveRange: nil).map {
                    ($0.key.rawValue, $0.value)
                })
        )
    }
}
