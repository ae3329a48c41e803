// OfferCondition: the condition on which hosts are offered an extension: its activation rule, read once.

public import ActivationRules
public import ExtensionPoints
import Locks
import PropertyListCoding
public import UniformTypeIdentifiers

/// The condition on which an extension is offered for some items (spec 3.2).
public enum OfferCondition: Sendable {
    /// The extension point takes no rules: the extension is eligible for all items.
    case always
    /// The extension point takes rules, but the extension has none: it is never offered.
    case noRule
    /// The rule cannot be read: the extension is never offered.
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

    /// The reason for lists why it is never offered, with the remedy; nil if it can be offered.
    public var problem: String? {
        guard case .unreadable(let error) = self else { return nil }
        return "NSExtensionActivationRule cannot be read, so the daemon never offers the extension: \(error)"
    }

    /// The warning for lists about a mistake that disables nothing.
    public var warning: String? {
        guard case .noRule = self else { return nil }
        return
            "there is no NSExtensionActivationRule, which its extension point requires. Add one to NSExtensionAttributes"
    }
}

/// The parts of a bundle's `Info.plist` that matching needs, read once.
///
/// Reading them unpacks the plist and compiles the rule, so it does not belong on the loop.
public struct OfferTerms: Sendable {
    /// The types that the bundle and the app around it declare.
    public let types: [DeclaredType]
    let summary: OfferSummary
    private let reading: Reading

    /// Reads all of the terms now.
    public init(of bundle: ExtensionBundle, points: PointTable) {
        var rules = KnownRules()
        self.init(of: bundle, points: points, &rules)
    }

    /// - Parameter rules: the rules that were read before.
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
            takesRules: takesRules, declaresTypes: !types.isEmpty, problem: condition.problem,
            warning: condition.warning)
        reading = Reading(condition)
    }

    /// Creates the terms of a bundle from the index. Its rule is read at the first request for it.
    init(of bundle: ExtensionBundle, known summary: OfferSummary) {
        types = summary.declaresTypes ? Self.types(bundle.informationDictionary, bundle) : []
        self.summary = summary
        reading = summary.takesRules ? Reading(of: bundle) : Reading(.always)
    }

    /// Whether `condition` is at hand. If not, reading it takes some ten microseconds, or milliseconds for a hostile
    /// rule.
    public var isReady: Bool { reading.isReady }

    /// The condition on which the bundle is offered. Any thread may ask for it.
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

    /// The condition, or the bundle to read it from.
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
            // The rule is read outside the lock, so the loop, which asks `isReady`, never waits. Two threads that both
            // read it get the same result.
            let condition = OfferTerms.rule(unread.informationDictionary).map(OfferCondition.init(reading:)) ?? .noRule
            state.withLock { $0 = .read(condition) }
            return condition
        }
    }
}
