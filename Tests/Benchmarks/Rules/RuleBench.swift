// RuleBench: which of a thousand extensions are offered one request; prints `name value unit` lines.

import ActivationRules
import Glibc
import PropertyListCoding

/// Usage: `RuleBench NAME`. Half of the rules are dictionaries, half predicates of two SUBQUERYs as Apple's guide writes them; the request is
/// one item with image, URL and text. Predicates of another form, which are walked clause by clause, are asked for themselves.
@main
struct RuleBench {
    private static let request = [[["public.jpeg"], ["public.url"], ["public.plain-text"]]]

    static func main() throws {
        let name = CommandLine.arguments.dropFirst().first ?? "rules"
        let values = (0..<1000).map { $0 % 2 == 0 ? predicate($0) : counts($0) }
        _ = try ActivationRule(values[0])
        _ = try RuleSubject(attachments: request)
        let start = now()
        let rules = try values.map { try ActivationRule($0) }
        report("\(name).read.1000", [now() - start])
        let subject = try RuleSubject(attachments: request)
        report("\(name).subject", try (0..<1000).map { _ in try time { _ = try RuleSubject(attachments: request) } })
        for (part, rules) in [
            ("1000", rules), ("predicates.500", rules.filter { $0.form == .predicate }),
            ("walked.500", try (0..<500).map { try ActivationRule(walked(2 * $0)) }),
            ("dictionaries.500", rules.filter { $0.form == .dictionary }),
        ] {
            var matching = 0
            let times = try (0..<2000).map { _ in
                try time { for rule in rules where try rule.matches(subject) { matching += 1 } }
            }
            report("\(name).match.\(part)", times)
            print("\(name).match.\(part).hits \(matching / 2000) count")
        }
    }

    /// The same with a condition before it.
    private static func walked(_ number: Int) -> PropertyList {
        .string("extensionItems.@count > 0 AND \(predicate(number).string ?? "")")
    }

    private static func predicate(_ number: Int) -> PropertyList {
        let types = ["public.image", "public.url", "public.text", "public.movie", "com.adobe.pdf", "public.data", "public.audio"]
        return .string(
            """
            SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $attachment,
                ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "\(types[number % 5])" ||
                ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "\(types[number % 7])"
            ).@count == $item.attachments.@count).@count == \(number % 3 + 1)
            """)
    }

    private static func counts(_ number: Int) -> PropertyList {
        [
            "NSExtensionActivationSupportsImageWithMaxCount": .integer(Int64(number % 7 + 1)),
            "NSExtensionActivationSupportsMovieWithMaxCount": 1, "NSExtensionActivationSupportsWebURLWithMaxCount": 1,
            "NSExtensionActivationSupportsText": true,
        ]
    }

    private static func time(_ body: () throws -> Void) rethrows -> UInt64 {
        let start = now()
        try body()
        return now() - start
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func report(_ name: String, _ nanoseconds: [UInt64]) {
        let sorted = nanoseconds.sorted()
        print("\(name).min \(Double(sorted[0]) / 1e3) us")
        print("\(name).p50 \(Double(sorted[sorted.count / 2]) / 1e3) us")
    }
}
