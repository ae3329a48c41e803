// AttributedStringCoding: the coding of a text and the runs of its attributes, as Foundation's archives cannot be read
// here.

internal import Foundation
internal import PropertyListCoding

extension ValueEncoder {
    mutating func attributedString(_ text: NSAttributedString) throws(ItemCodingError) -> PropertyList {
        var found: [(NSRange, [NSAttributedString.Key: Any])] = []
        text.enumerateAttributes(in: NSRange(location: 0, length: text.length)) { attributes, range, _ in
            if !attributes.isEmpty { found.append((range, attributes)) }
        }
        var runs: [PropertyList] = []
        for (range, attributes) in found {
            var entries: [(String, PropertyList)] = []
            for (key, value) in attributes {
                guard value is URL || value is String || value is NSNumber else {
                    throw .unsupportedAttribute(name: key.rawValue, type: "\(type(of: value))")
                }
                entries.append((key.rawValue, try self.value(value)))
            }
            runs.append([
                WireKey.location: .integer(Int64(range.location)), WireKey.length: .integer(Int64(range.length)),
                WireKey.attributes: .dictionary(PropertyListDictionary(entries)),
            ])
        }
        return tagged(.attributedString, [(WireKey.string, .string(text.string)), (WireKey.runs, .array(runs))])
    }
}

extension ValueDecoder {
    mutating func attributedString(_ entries: PropertyListDictionary) throws(ItemCodingError) -> NSAttributedString {
        let text = NSMutableAttributedString(string: try string(WireKey.string, of: entries))
        var end = 0
        for run in entries[WireKey.runs]?.array ?? [] {
            guard let run = run.dictionary, let attributes = run[WireKey.attributes]?.dictionary,
                let location = run[WireKey.location]?.integer, let length = run[WireKey.length]?.integer,
                location >= Int64(end), location <= Int64(text.length), length > 0,
                length <= Int64(text.length) - location
            else { throw .malformed("a run outside its text") }
            var values: [NSAttributedString.Key: Any] = [:]
            for (name, value) in attributes {
                let value = try self.value(value)
                guard value is URL || value is String || value is NSNumber else { throw .malformed("a text attribute") }
                values[NSAttributedString.Key(rawValue: name)] = value
            }
            let range = NSRange(location: Int(location), length: Int(length))
            text.setAttributes(values, range: range)
            end = range.location + range.length
        }
        return NSAttributedString(attributedString: text)
    }
}
