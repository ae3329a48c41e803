// Criterion: one condition on an extension's Info.plist, as pluginkit -m takes it (spec 2.3).

import PropertyListCoding

/// A key that must exist, or must have this value.
///
/// `NSExtensionIdentifier` is the bundle's identifier, and `NSExtensionPointName` its point. Any other key is looked up
/// among the attributes, then under `NSExtension`, then in the whole `Info.plist`.
public struct Criterion: Sendable, Hashable {
    public let key: String
    /// The required value; nil accepts any.
    public let value: String?

    public init(key: String, value: String?) {
        self.key = key
        self.value = value
    }

    /// Parses `key` or `key=value`; nil if there is no key.
    public init?(written text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let key = parts.first, !key.isEmpty else { return nil }
        self.init(key: String(key), value: parts.count > 1 ? String(parts[1]) : nil)
    }

    public static func identifier(_ identifier: String) -> Criterion {
        Criterion(key: "NSExtensionIdentifier", value: identifier)
    }

    /// Whether the registry has the value at hand, so no plist is unpacked.
    public var isAtHand: Bool {
        ["NSExtensionIdentifier", "NSExtensionPointName", "NSExtensionPointIdentifier"].contains(key)
    }

    public func holds(of bundle: ExtensionBundle) -> Bool {
        switch key {
        case "NSExtensionIdentifier": return value.map { $0 == bundle.identifier } ?? true
        case "NSExtensionPointName", "NSExtensionPointIdentifier":
            return value.map { $0 == bundle.point } ?? !bundle.point.isEmpty
        default: break
        }
        let information = bundle.informationDictionary
        let declaration = information["NSExtension"]?.dictionary
        let found = declaration?["NSExtensionAttributes"]?.dictionary?[key] ?? declaration?[key] ?? information[key]
        guard let found, let value else { return found != nil }
        return Self.isEqual(found, value)
    }

    /// Compares a scalar by its written form; a collection never equals a text.
    private static func isEqual(_ value: PropertyList, _ text: String) -> Bool {
        switch value {
        case .string(let string): string == text
        case .boolean(let flag): (flag ? ["1", "true", "yes"] : ["0", "false", "no"]).contains(text.lowercased())
        case .integer(let number): Int64(text) == number
        case .real(let number): Double(text) == number
        case .date, .data, .array, .dictionary: false
        }
    }
}
