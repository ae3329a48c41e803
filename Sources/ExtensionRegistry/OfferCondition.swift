// OfferCondition: on what condition hosts are offered an extension: its activation rule, read once.

public import ActivationRules
public import ExtensionPoints
import PropertyListCoding
public import UniformTypeIdentifiers

/// What decides whether an extension is offered for some items (spec 3.2).
public enum OfferCondition: Sendable {
    /// Its extension point takes no rules: it is eligible for all.
    case always
    /// Its point takes rules, and it has none: it is never offered.
    case noRule
    /// Its rule cannot be read: it is never offered.
    case unreadable(RuleError)
    case rule(ActivationRule)

    /// For lists: why it is never offered, with the remedy; nil for one that can be.
    public var problem: String? {
        guard case .unreadable(let error) = self else { return nil }
        return "NSExtensionActivationRule cannot be read, so it is never offered: \(error)"
    }

    /// For lists: a mistake that disables nothing.
    public var warning: String? {
        guard case .noRule = self else { return nil }
        return
            "there is no NSExtensionActivationRule, and its extension point offers none without. Add one to NSExtensionAttributes"
    }
}

/// What of a bundle's `Info.plist` matching needs, read once. Reading it unpacks the plist and compiles the rule: not for the loop.
public struct OfferTerms: Sendable {
    public let condition: OfferCondition
    /// The types that the bundle and the app around it declare.
    public let types: [DeclaredType]

    public init(of bundle: ExtensionBundle, points: PointTable) {
        let information = bundle.informationDictionary
        var types = TypeDeclarationReader(information).types
        if !bundle.appTypeDeclarations.isEmpty,
            let declared = try? PropertyList(binary: bundle.appTypeDeclarations, limits: .file).dictionary
        {
            types = TypeDeclarationReader(declared).types + types
        }
        self.types = types
        guard points[bundle.point].takesActivationRules else {
            condition = .always
            return
        }
        let attributes = information["NSExtension"]?.dictionary?["NSExtensionAttributes"]?.dictionary
        guard let rule = attributes?[ActivationRule.key] else {
            condition = .noRule
            return
        }
        do throws(RuleError) {
            condition = .rule(try ActivationRule(rule))
        } catch {
            condition = .unreadable(error)
        }
    }
}
