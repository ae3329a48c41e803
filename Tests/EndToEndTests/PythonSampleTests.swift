// PythonSampleTests: the sample in Python, as a user of the samples meets it.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite struct PythonSampleTests {
    private let sample = "org.exthost.samples.python"

    @Test func itSharesTheLinkTellsWhatWasAnnouncedAndWorksOnUntilItIsToldToEnd() async throws {
        // It has its time to end by itself.
        try await withTestDaemon(
            applications: [try samples()], arguments: ["--timer", "idle=50ms", "--timer", "expire=1min"]
        ) {
            daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let asked = OneSignal()
            let kept = Kept<NSItemProvider.CompletionHandler>()
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
                kept.keep(completion)
                asked.fire()
            }
            let request = try await host.begin(sample, items: [.attachment(provider)])
            await asked.wait()
            try await host.setState(.background)
            kept.take()?(NSURL(string: "https://example.org/python"), nil)
            let answer = try items(of: await request.outcome).first?.userInfo
            #expect(answer?["shared"] as? String == "https://example.org/python")
            #expect(answer?["announced"] as? [String] == ["HostWillResignActive", "HostDidEnterBackground"])
            let exit = await request.exit?.record
            #expect(exit?.cause == .idle)
            #expect(exit?.status == 0)
            #expect(output.text == "kept\n")
        }
    }

    @Test func withNothingToShareItCancelsWithAnErrorForEachItem() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(sample, items: [.text("no link"), .text("none here either")])
            guard case .cancelled(let cause, let error as NSError) = await request.outcome else {
                throw UnexpectedOutcome(outcome: "\(await request.outcome)")
            }
            #expect(cause == .cancelledByExtension)
            #expect(error.domain == "org.exthost.samples")
            #expect(error.localizedDescription == "there is nothing to share")
            let pairs = try #require(error.userInfo[NSExtensionItemsAndErrorsKey] as? [NSExtensionItem: NSError])
            #expect(pairs.count == 2)
        }
    }

    @Test func aLoadThatFailsIsItsErrorAndItServesOn() async throws {
        try await withTestDaemon(applications: [try samples()], arguments: ["--timer", "idle=1min"]) { daemon in
            let host = try await daemon.host("notes")
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
                completion?(nil, CocoaError(.fileNoSuchFile))
            }
            let failed = try await host.begin(sample, items: [.attachment(provider)])
            #expect(await failed.outcome.cause == .cancelledByExtension)
            let next = try await host.begin(sample, items: [.url("https://example.org")])
            #expect(await next.outcome.kind == .completed)
            #expect(next.processIdentifier == failed.processIdentifier)
        }
    }

    /// More packets than the window holds, each way.
    @Test func itKeepsToItsCreditOverManyRequests() async throws {
        try await withTestDaemon(applications: [try samples()], arguments: ["--timer", "idle=30s"]) { daemon in
            let host = try await daemon.host("notes")
            for number in 0..<200 {
                let request = try await host.begin(sample, items: [.url("https://example.org/\(number)")])
                #expect(
                    try items(of: await request.outcome).first?.userInfo?["shared"] as? String
                        == "https://example.org/\(number)")
            }
            #expect(try await daemon.control.processes().count == 1)
        }
    }
}
