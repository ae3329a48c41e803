// CertificateTests: the end of what a process said, whole, however much of it there is.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite struct CertificateTests {
    private static func words(_ count: Int) -> String {
        String(decoding: (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }, as: UTF8.self)
    }

    @Test(arguments: [0, 1, 30_000, 65_536, 100_000])
    func theLast64KiBOfStandardErrorAreKept(_ count: Int) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("complain", "\(count)")])
            #expect(await request.exit?.record.cause == .crashed)
            let death = try #require(try await daemon.control.exits().last)
            #expect(death.stderrTail.hasSuffix(Self.words(count).suffix(65_536)), "\(death.stderrTail.count)")
            #expect(death.stderrTail.utf8.count <= 65_536)
            #expect(death.requests == [request.identifier] && death.decidedBy == "system")
            // One that travels alone has the last of it.
            let last = try #require(try await daemon.control.status().lastDeath)
            #expect(death.stderrTail.hasSuffix(last.stderrTail) && last.stderrTail.utf8.count <= 4096)
        }
    }

    @Test func manyOfThemComeInPages() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            for count in 0..<70 {
                let request = try await host.begin(puppet, items: [order("complain", "\(count)")])
                _ = await request.exit
            }
            let deaths = try await daemon.control.exits()
            #expect(deaths.count == 70)
            for (count, death) in deaths.enumerated() { #expect(death.stderrTail.hasSuffix(Self.words(count))) }
        }
    }

    @Test func nobodyIsSaidToHaveReachedALimitWhoHasNot() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(
            applications: [bundles.path], arguments: ["--limit", "memory=512MiB", "--limit", "cpu=10min"]
        ) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("crash")])
            let exit = try #require(await request.exit?.record)
            #expect(exit.cause == .crashed && exit.reached == nil && exit.memoryLimit == 512 << 20 && exit.coreDump == nil)
        }
    }
}
