// Vectors: rules and payloads with known answers, from the JSON files beside this one.

import ActivationRules
import Foundation
import PropertyListCoding

/// Rules of real extensions, and what they are asked about.
enum Vectors {
    static let rules: [String: PropertyList] = entries(object("rules"), "rules").mapValues { plist($0["rule"] as Any) }

    static let payloads: [String: PropertyList] = object("payloads").compactMapValues {
        ($0 as? [String: Any]).map { plist($0["items"] as Any) }
    }

    /// Rule → payload → whether the extension is shown.
    static let expected: [(rule: String, payload: String, shown: Bool)] = {
        var list: [(String, String, Bool)] = []
        for (rule, answers) in entries(object("expected"), "results") {
            for (payload, shown) in answers { list.append((rule, payload, shown as? Bool ?? false)) }
        }
        return list.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    }()

    static let mustReject: [(id: String, text: String)] = (object("rules")["mustReject"] as? [[String: Any]] ?? []).map
    {
        ($0["id"] as? String ?? "", $0["text"] as? String ?? "")
    }

    private static func object(_ name: String) -> [String: Any] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Vectors/\(name).json")
        return (try? JSONSerialization.jsonObject(with: Data(contentsOf: path))) as? [String: Any] ?? [:]
    }

    private static func entries(_ object: [String: Any], _ key: String) -> [String: [String: Any]] {
        object[key] as? [String: [String: Any]] ?? [:]
    }

    private static func plist(_ value: Any) -> PropertyList {
        switch value {
        case let text as String: .string(text)
        case let number as NSNumber where number === NSNumber(value: true) || number === NSNumber(value: false):
            .boolean(number.boolValue)
        case let number as NSNumber: .integer(number.int64Value)
        case let list as [Any]: .array(list.map(plist))
        case let entries as [String: Any]: .dictionary(PropertyListDictionary(entries.map { ($0, plist($1)) }))
        default: .string("\(value)")
        }
    }
}

/// Whether a predicate holds of a property list.
func holds(_ predicate: String, _ value: PropertyList = [:]) throws -> Bool {
    try ActivationRule(predicate: predicate).matches(RuleSubject(value))
}

/// One item with one attachment for each list of types.
func item(_ attachments: [String]...) throws -> RuleSubject { try RuleSubject(attachments: [attachments]) }

/// The error of a predicate that does not parse.
func fault(_ predicate: String) -> RuleError? {
    do {
        _ = try ActivationRule(predicate: predicate)
        return nil
    } catch {
        return error
    }
}
