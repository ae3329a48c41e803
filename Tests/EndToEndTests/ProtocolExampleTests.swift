// ProtocolExampleTests: the extension on docs/protocol.md, in Python, serves requests as it stands there.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite struct ProtocolExampleTests {
    /// The second address does not fit into a payload inside a packet: it comes in sealed memory.
    @Test(arguments: ["https://example.org/", "https://example.org/" + String(repeating: "x", count: 40_000)])
    func thePythonExtensionOfTheProtocolPageSharesALink(address: String) async throws {
        let page = try String(contentsOfFile: SampleApplications.root + "/docs/protocol.md", encoding: .utf8)
        let example = try #require(page.firstRange(of: "```python\n"))
        let end = try #require(page[example.upperBound...].firstRange(of: "```"))
        let bundles = try TestBundles()
        try bundles.add("python", script: String(page[example.upperBound..<end.lowerBound]))
        // It has its time to end by itself.
        try await withTestDaemon(
            applications: [bundles.path], arguments: ["--timer", "idle=50ms", "--timer", "expire=1min"]
        ) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.python", items: [.url(address)])
            let returned = try items(of: await request.outcome)
            #expect(returned.map { $0.userInfo?["shared"] as? String } == [address])
            // It ends when it is told to.
            let exit = await request.exit
            #expect(exit?.record.cause == .idle)
            #expect(exit?.record.status == 0)
        }
    }
}
