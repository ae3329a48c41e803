// Lists: rule lists and loads of the tests, in few words.

import ContentRules
import Testing

/// Returns a list with one rule for each pair of a trigger's and an action's members.
func list(_ rules: (trigger: String, action: String)...) -> [UInt8] { list(rules) }

func list(_ rules: [(trigger: String, action: String)]) -> [UInt8] {
    let rules = rules.map { #"{"trigger": {\#($0.trigger)}, "action": {\#($0.action)}}"# }
    return Array("[\(rules.joined(separator: ",\n"))]".utf8)
}

let block = #""type": "block""#
let ignore = #""type": "ignore-previous-rules""#
func hide(_ selector: String) -> String { #""type": "css-display-none", "selector": "\#(selector)""# }
/// A trigger's member for a pattern, with its backslashes doubled.
func filter(_ pattern: String) -> String {
    let escaped = pattern.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined()
    return #""url-filter": "\#(escaped)""#
}

/// Compiles a list of rules that block, one for each trigger.
func compiled(_ triggers: String...) throws -> RuleList { try RuleList(json: list(triggers.map { ($0, block) })) }

/// Whether a pattern is found in a URL.
func matches(_ pattern: String, _ url: String, isCaseSensitive: Bool = false) throws -> Bool {
    let list = try compiled(filter(pattern) + (isCaseSensitive ? #", "url-filter-is-case-sensitive": true"# : ""))
    return try list.decision(for: ContentLoad(url: url)).blocked != nil
}

/// Returns the first fault of a list.
func fault(_ json: [UInt8], limits: RuleLimits = RuleLimits()) throws -> RuleFault {
    do {
        _ = try RuleList(json: json, limits: limits)
    } catch {
        #expect(error.faults.allSatisfy { !$0.detail.isEmpty && !$0.remedy.isEmpty })
        return error.first
    }
    Issue.record("\(String(decoding: json.prefix(200), as: UTF8.self)) is compiled")
    struct Compiled: Error {}
    throw Compiled()
}
