// RuleAllocations: asks rules about items, and says for which of them something was allocated.

import ActivationRules
import CCountedHeap
import Glibc
import PropertyListCoding

/// `RuleAllocations < LIST`: a binary property list, `{rules: {name: rule}, payloads: {name: items}}`. A line for each
/// pair: rule, payload, allocations of ten evaluations; at last `reading`, and the allocations of reading one rule.
@main
struct RuleAllocations {
    static func main() throws {
        guard let list = try PropertyList(binary: input(), limits: .file).dictionary,
            let rules = list["rules"]?.dictionary,
            let payloads = list["payloads"]?.dictionary
        else { exit(64) }
        for (name, value) in rules {
            let rule = try ActivationRule(value)
            for (payload, items) in payloads {
                let subject = try RuleSubject(items)
                // Once before: what a process makes once is no part of a question.
                _ = try rule.matches(subject)
                counted_heap_begin()
                for _ in 0..<10 { _ = try rule.matches(subject) }
                let count = counted_heap_end()
                print("\(name) \(payload) \(count)")
            }
        }
        guard let (_, value) = rules.first(where: { _ in true }) else { exit(64) }
        counted_heap_begin()
        _ = try ActivationRule(value)
        print("reading - \(counted_heap_end())")
    }

    private static func input() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(0, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
