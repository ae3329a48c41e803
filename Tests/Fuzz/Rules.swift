// rules: any bytes as a content blocker's list: compiled, or refused with every fault, its place and its remedy; then
// decisions about loads, within their steps.

import ContentRules

private let urls = ["http://a.com/", "https://www.b.co.uk:8443/ads/x.js?q=1&r=%20", "ws://[::1]:80/a", "data:,x"]

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    let json = input.all()
    var limits = RuleLimits()
    limits.steps = 4096
    var list: RuleList
    do {
        list = try RuleList(json: json, limits: limits)
    } catch {
        let lines = json.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        must(!error.faults.isEmpty && error.faults.count <= 20, "\(error.faults.count) faults")
        for fault in error.faults {
            must(!fault.detail.isEmpty && !fault.remedy.isEmpty, "a fault without words")
            must(fault.description.utf8.count < 2000, "a fault of \(fault.description.utf8.count) bytes")
            must(fault.line >= 1 && fault.line <= max(lines.count, 1), "line \(fault.line) of \(lines.count)")
            let length = fault.line <= lines.count ? lines[fault.line - 1].count : 0
            must(fault.column >= 1 && fault.column <= length + 1, "column \(fault.column) of \(length)")
        }
        return 0
    }
    let sizes = list.statistics
    must(sizes.rules > sizes.skipped, "a list of no rules")
    must(sizes.actions.values.reduce(0, +) == sizes.rules - sizes.skipped, "actions of no rules")
    list.stepLimit = 1_000_000
    for url in urls {
        guard let load = try? ContentLoad(url: url, page: urls[1], type: .script) else { continue }
        guard let decision = try? list.decision(for: load) else { continue }
        must(decision.steps <= list.stepLimit, "\(decision.steps) steps")
        must((try? list.decision(for: load)) == decision, "two decisions about one load")
        let rules = [decision.blocked, decision.blockedCookies, decision.upgraded?.rule, decision.ignoring]
        for rule in rules.compactMap(\.self) + decision.hidden.map(\.rule) {
            must((1...sizes.rules).contains(rule), "rule \(rule) of \(sizes.rules)")
        }
    }
    return 0
}
