// OfferCondition: on what condition hosts are offered an extension: its activation rule, read once.

public import ActivationRules
public import ExtensionPoints
import Locks
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

    /// - Parameter rule: the value of `NSExtensionActivationRule`.
    init(reading rule: PropertyList) {
        do throws(RuleError) {
            self = .rule(try ActivationRule(rule))
        } catch {
            self = .unreadable(error)
        }
    }

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
    /// The types that the bundle and the app around it declare.
    public let types: [DeclaredType]
    let summary: OfferSummary
    private let reading: Reading

    /// Reads all of it now.
    public init(of bundle: ExtensionBundle, points: PointTable) {
        var rules = KnownRules()
        self.init(of: bundle, points: points, &rules)
    }

    /// - Parameter rules: read before.
    init(of bundle: ExtensionBundle, points: PointTable, _ rules: inout KnownRules) {
        let takesRules = points[bundle.point].takesActivationRules
        let condition: OfferCondition
        if let source = bundle.offerSource {
            condition = takesRules ? rules.condition(source.rule) : .always
            types = source.types
        } else {
            let information = bundle.informationDictionary
            condition = takesRules ? rules.condition(Self.rule(information)) : .always
            types = Self.types(information, bundle)
        }
        summary = OfferSummary(
            takesRules: takesRules, declaresTypes: !types.isEmpty, problem: condition.problem, warning: condition.warning)
        reading = Reading(condition)
    }

    /// Of a bundle that the index knows: its rule is read when it is asked for the first time.
    init(of bundle: ExtensionBundle, known summary: OfferSummary) {
        types = summary.declaresTypes ? Self.types(bundle.informationDictionary, bundle) : []
        self.summary = summary
        reading = summary.takesRules ? Reading(of: bundle) : Reading(.always)
    }

    /// Whether `condition` is at hand; else finding it takes some ten microseconds, and of a hostile rule milliseconds.
    public var isReady: Bool { reading.isReady }

    /// On what condition it is offered; on any thread.
    public var condition: OfferCondition { reading.condition }

    private static func types(_ information: PropertyListDictionary, _ bundle: ExtensionBundle) -> [DeclaredType] {
        var types = TypeDeclarationReader(information).types
        if !bundle.appTypeDeclarations.isEmpty,
            let declared = try? PropertyList(binary: bundle.appTypeDeclarations, limits: .file).dictionary
        {
            types = TypeDeclarationReader(declared).types + types
        }
        return types
    }

    private static func rule(_ information: PropertyListDictionary) -> PropertyList? {
        information["NSExtension"]?.dictionary?["NSExtensionAttributes"]?.dictionary?[ActivationRule.key]
    }

    /// A condition that is there, or the bundle to read it from.
    private final class Reading: Sendable {
        private enum State: Sendable {
            case unread(ExtensionBundle)
            case read(OfferCondition)
        }

        private let state: Mutex<State>

        init(_ condition: OfferCondition) { state = Mutex(.read(condition)) }

        init(of bundle: ExtensionBundle) { state = Mutex(.unread(bundle)) }

        var isReady: Bool { state.withLock { if case .read = $0 { true } else { false } } }

        var condition: OfferCondition {
            let unread: ExtensionBundle
            switch state.withLock({ $0 }) {
            case .read(let condition): return condition
            case .unread(let bundle): unread = bundle
            }
            // Outside of the lock, so that the loop, which asks `isReady`, waits for nobody's rule. Two that read it find the same.
            let condition = OfferTerms.rule(unread.informationDictionary).map(OfferCondition.init(reading:)) ?? .noRule
            state.withLock { $0 = .read(condition) }
            return condition
        }
    }
}
