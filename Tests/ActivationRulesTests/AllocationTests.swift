// AllocationTests: asking a rule that has been read allocates nothing.

import Foundation
import Glibc
import LinuxSystem
import Glibc
import PropertyListCoding
import TestPrograms
import Testing

@Suite struct AllocationTests {
    /// What a rule of each form may hold besides what the vectors have.
    private static let more: [String: PropertyList] = [
        "counts": [
            "NSExtensionActivationDictionaryVersion": 2, "NSExtensionActivationUsesStrictMatching": true,
            "NSExtensionActivationSupportsImageWithMaxCount": 2, "NSExtensionActivationSupportsMovieWithMaxCount": 1,
            "NSExtensionActivationSupportsText": true, "NSExtensionActivationSupportsFileWithMaxCount": 3,
            "NSExtensionActivationSupportsWebPageWithMaxCount": 1, "NSExtensionActivationSupportsWebURLWithMaxCount": 1,
            "NSExtensionActivationSupportsAttachmentsWithMinCount": 1,
            "NSExtensionActivationSupportsAttachmentsWithMaxCount": 9,
        ],
        "modifiers":
            "ALL extensionItems.attachments.@count > 0 OR NONE extensionItems.attachments == nil AND NOT FALSEPREDICATE",
        "lists": "ANY extensionItems.attachments.@count IN {1, 2, 3} OR extensionItems.@count BETWEEN {1, 9}",
        "texts":
            "SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, ANY $a.registeredTypeIdentifiers BEGINSWITH 'public.').@count > 0).@count > 0",
        "undeclared":
            "SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'org.example.none').@count == 0).@count < 5",
    ]

    /// Each line of the program that counts: what it asked, and how often something was allocated. Built optimised for
    /// that: unoptimised code allocates where nobody has written so.
    private func counts() async throws -> [(asked: String, count: Int)] {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Benchmarks/Rules/allocations")
        let rules = Vectors.rules.merging(Self.more) { $1 }
        let list: PropertyList = [
            "rules": .dictionary(PropertyListDictionary(rules.map { ($0, $1) })),
            "payloads": .dictionary(PropertyListDictionary(Vectors.payloads.map { ($0, $1) })),
        ]
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "exthost-allocations-\(UUID().uuidString)")
        try Data(list.encodeBinary()).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let input = SharedDescriptor(owning: open(file.path, O_RDONLY | O_CLOEXEC))
        let ran = try await Program.ending(of: program.path, input: input)
        #expect(ran.status == 0, "\(ran.errors)")
        return ran.output.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            return parts.last.flatMap { Int($0) }.map { (parts.dropLast().joined(separator: " "), $0) }
        }
    }

    @Test(.enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it; it builds a program"))
    func askingARuleAllocatesNothing() async throws {
        let counts = try await counts()
        #expect(counts.count == (Vectors.rules.count + Self.more.count) * Vectors.payloads.count + 1)
        let reading = try #require(counts.last)
        // That it counts is shown by what does allocate.
        #expect(reading.asked == "reading -" && reading.count > 0)
        for (asked, count) in counts.dropLast() where count != 0 { Issue.record("\(asked): \(count) allocations") }
    }
}
