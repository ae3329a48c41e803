// BlockerLoad: the effects of a content blocker on a load, for `run` and for scenarios.

import ContentRules
import ExtensionHostTesting
import Foundation
import PointHosts
import Scenarios

/// The end of a load that a content blocker was asked about.
enum BlockerLoad: Sendable {
    case decided(ContentLoad, Decision)
    /// The blocker returned no list, or one that does not compile.
    case failed(NSError)
    /// The list needs too many steps for the load.
    case undecided(Decision.TooManySteps)

    /// Asks a blocker about a load. The list is the blocker's last good one, or the one that it returns now.
    init(_ load: ContentLoad, _ blocker: ContentBlockerHost, _ identifier: String) async throws {
        do {
            let known = await blocker.rules(of: identifier)
            let list = if let known { known } else { try await blocker.reload(identifier) }
            self = .decided(load, try list.decision(for: load))
        } catch let error as Decision.TooManySteps {
            self = .undecided(error)
        } catch {
            let error = error as NSError
            guard [ContentBlockerError.domain, ContentBlockerError.compilerDomain].contains(error.domain) else {
                throw error
            }
            self = .failed(error)
        }
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch self {
        case .decided(_, let decision): (decision.blocked == nil ? .allowed : .blocked, nil)
        case .failed(let error): (.failed, error.localizedDescription)
        case .undecided(let error): (.failed, "\(error)")
        }
    }

    /// The members of the JSON document.
    var members: [(name: String, value: JSON)] {
        switch self {
        case .failed(let error): return Self.members(of: error)
        case .undecided(let error): return [("error", .string("\(error)"))]
        case .decided(let load, let decision):
            let hidden = decision.hidden.map { hiding -> JSON in
                ["rule": .integer(hiding.rule), "selector": .string(hiding.selector)]
            }
            return [
                ("url", .string(load.url.description)), ("page", .string(load.page.description)),
                ("type", .string(load.type.rawValue)), ("blocked", .boolean(decision.blocked != nil)),
                ("rule", .optional(decision.blocked)), ("cookiesRule", .optional(decision.blockedCookies)),
                ("upgradeRule", .optional(decision.upgraded?.rule)), ("upgraded", .optional(decision.upgraded?.url)),
                ("ignoringRule", .optional(decision.ignoring)), ("hidden", .array(hidden)),
            ]
        }
    }

    static func members(of error: NSError) -> [(name: String, value: JSON)] {
        let faults = (error.ruleListFaults ?? []).map { fault -> JSON in
            [
                "sentence": .string(fault.kind.sentence), "rule": .optional(fault.rule), "key": .optional(fault.key),
                "line": .integer(fault.line), "column": .integer(fault.column), "detail": .string(fault.detail),
                "remedy": .string(fault.remedy),
            ]
        }
        return [
            ("domain", .string(error.domain)), ("code", .integer(error.code)),
            ("error", .string(error.localizedDescription)), ("faults", .array(faults)),
        ]
    }

    /// The lines for people.
    var text: String {
        switch self {
        case .failed(let error): return Self.text(of: error)
        case .undecided(let error): return "undecided: \(printable("\(error)"))\n"
        case .decided(let load, let decision):
            var lines: [String] = []
            if let rule = decision.blocked {
                lines.append("blocked by rule \(rule): \(load.url)")
            } else {
                lines.append("allowed: \(load.url)")
            }
            if let upgraded = decision.upgraded {
                lines.append("  made secure by rule \(upgraded.rule): \(upgraded.url)")
            }
            if let rule = decision.blockedCookies { lines.append("  cookies blocked by rule \(rule)") }
            for hiding in decision.hidden {
                lines.append("  hidden by rule \(hiding.rule): \(printable(hiding.selector))")
            }
            if let rule = decision.ignoring { lines.append("  the rules before rule \(rule) are ignored") }
            return lines.map { $0 + "\n" }.joined()
        }
    }

    static func text(of error: NSError) -> String {
        var lines = ["no list: \(error.domain) \(error.code)"]
        if let faults = error.ruleListFaults {
            lines += faults.map { "  \($0)" }
        } else {
            lines.append("  \(error.localizedDescription)")
        }
        return lines.map { printable($0) + "\n" }.joined()
    }
}
