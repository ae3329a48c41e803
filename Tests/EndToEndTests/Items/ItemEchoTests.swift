// ItemEchoTests: generated items through real processes and back, equal field by field.

import ExtensionHostTesting
import Foundation
import Testing

@Suite struct ItemEchoTests {
    /// So many requests of a hundred items. The attachments come back as the host's own, or remade by the extension of
    /// every value that they had.
    private func echo(requests: Int, seed: UInt64) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=60s"]) { daemon in
            let host = try await daemon.host("notes")
            var generator = ItemGenerator(seed: seed)
            for round in 0..<requests {
                let sent = [order(round % 2 == 0 ? "return" : "remake")] + (0..<100).map { _ in generator.item() }
                let request = try await host.begin(puppet, items: sent)
                let returned = try items(of: await request.outcome)
                #expect(returned.count == sent.count)
                for (number, (sent, returned)) in zip(sent, returned).enumerated() {
                    #expect(same(sent, returned), "seed \(seed), request \(round), item \(number)")
                    try await expectSameValues(returned, sent)
                    if round % 2 == 1, let first = sent.attachments?.first {
                        #expect(returned.attachments?.first !== first)
                    }
                }
            }
        }
    }

    // spec: A1
    @Test func aThousandGeneratedItemsComeBackEqual() async throws { try await echo(requests: 10, seed: 5) }

    @Test(.enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"))
    func tenThousandGeneratedItemsComeBackEqual() async throws { try await echo(requests: 100, seed: 6) }

    // spec: P-083
    @Test func pagesOfAWebsiteAndItsAnswerTravelAsPropertyLists() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("browser")
            let results: [String: Any] = [
                "URL": "https://example.org", "selection": "größe", "count": 3, "nested": [["a": true], 2.5],
            ]
            let page = [NSExtensionJavaScriptPreprocessingResultsKey: results]
            let provider = NSItemProvider(item: page as NSDictionary, typeIdentifier: "com.apple.property-list")
            let item = order("return", attachments: [provider])
            item.userInfo?[NSExtensionJavaScriptFinalizeArgumentKey] = ["background": "red"]
            let request = try await host.begin(puppet, items: [item])
            let returned = try #require(try items(of: await request.outcome).first)
            #expect(
                returned.userInfo?[NSExtensionJavaScriptFinalizeArgumentKey] as? [String: String] == [
                    "background": "red"
                ])
            let back = try #require(returned.attachments?.first)
            let loaded = try await back.loadItem(forTypeIdentifier: "com.apple.property-list", as: [String: Any].self)
            #expect(same(loaded, page))
        }
    }
}
