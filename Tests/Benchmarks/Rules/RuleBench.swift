// RuleBench: which of so many extensions are offered one request; prints a line of samples for each figure.

import ActivationRules
import Glibc
import PropertyListCoding

/// Half of the rules are dictionaries, half predicates of two SUBQUERYs as Apple's guide writes them; the request is
/// one item with image, URL and text. Predicates of another form, which are walked clause by clause, are asked for
/// themselves.
@main
struct RuleBench {
    private static let request = [[["public.jpeg"], ["public.url"], ["public.plain-text"]]]

    static func main() throws {
        for count in [10, 100, 1000, 10_000] {
            try ask("match.\(count)", (0..<count).map { $0 % 2 == 0 ? predicate($0) : counts($0) })
        }
        try ask("walked.500", (0..<500).map { walked(2 * $0) })
        try ask("predicates.500", (0..<500).map { predicate(2 * $0) })
        try ask("dictionaries.500", (0..<500).map { counts(2 * $0 + 1) })
    }

    private static func ask(_ name: String, _ values: [PropertyList]) throws {
        let rules = try values.map { try ActivationRule($0) }
        let subject = try RuleSubject(attachments: request)
        var matching = 0
        let times = try (0..<300).map { _ in
            let start = now()
            for rule in rules where try rule.matches(subject) { matching += 1 }
            return now() - start
        }
        guard matching > 0 else { fatalError("none of \(name) matches") }
        print(([name, "us"] + times.map { "\(Double($0) / 1e3)" }).joined(separator: " "))
    }

    /// The same with a condition before it.
    private static func walked(_ number: Int) -> PropertyList {
        .string("extensionItems.@count > 0 AND \(predicate(number).string ?? "")")
    }

    private static func predicate(_ number: Int) -> PropertyList {
        let types = [
            "public.image", "public.url", "public.text", "public.movie", "com.adobe.pdf", "public.data", "public.audio",
        ]
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

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
