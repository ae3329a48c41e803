// DismissalTests: when the host takes the view down, and when there is none to take (spec 1.2 step 3).

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite struct DismissalTests {
    // spec: P-012, P-013, A2
    @Test(arguments: Language.allCases) func theViewGoesAfterTheResultAndBeforeTheHandler(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=50ms"]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(puppet, items: [order("handler", "quick")])
            _ = try items(of: await request.outcome)
            _ = await request.exit
            // All that the puppet prints is its handler's.
            #expect(output.text == "handler: false\n")
            let order = ["request.completed", "request.dismissed", "process.output"]
            let events = try await daemon.events().filter { order.contains($0.event) }
            #expect(events.map(\.event) == order)
            let dismissal = try #require(events.first { $0.event == "request.dismissed" })
            #expect(dismissal.request == request.identifier && dismissal.host == "notes")
            #expect(dismissal.extensionIdentifier == puppet && dismissal.pid == request.processIdentifier)
            let timeline = try await control(["watch", "--since", "0", "--no-follow"], daemon)
            let line = try #require(timeline.output.split(separator: "\n").first { $0.contains("request.dismissed") })
            #expect(line.contains("by notes"))
        }
    }

    // spec: P-012
    @Test func theViewOfAnExtensionThatGivesUpGoesTooAndOnceOnly() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=50ms"]) { daemon in
            let host = try await daemon.host("notes")
            let cancelled = try await host.begin(puppet, items: [order("no such act")])
            #expect(await cancelled.outcome.cause == .cancelledByExtension)
            let twice = try await host.begin(puppet, items: [order("completeTwice")])
            #expect(await twice.outcome.cause == .completed)
            _ = await twice.exit
            for request in [cancelled, twice] {
                let events = try await daemon.events().filter { $0.request == request.identifier }.map(\.event)
                #expect(events.filter { $0 == "request.dismissed" }.count == 1, "\(events)")
            }
        }
    }

    @Test func whereThereIsNoInterfaceNothingIsTakenDown() async throws {
        let bundles = try TestBundles.withPuppet(point: "com.apple.services")
        try await expect(noDismissalOf: order("return"), endingAs: .completed, bundles)
    }

    /// The view goes with its extension, or with the connection to it: nobody has to take it down.
    @Test func anEndWithoutTheExtensionsWordHasNoDismissal() async throws {
        try await expect(noDismissalOf: order("crash"), endingAs: .crashed, try TestBundles.withPuppet())
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=50ms"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            try await request.cancel()
            #expect(await request.outcome.cause == .cancelledByHost)
            _ = await request.exit
            #expect(!(try await daemon.events().map(\.event).contains("request.dismissed")))
        }
    }

    private func expect(noDismissalOf order: NSExtensionItem, endingAs cause: Cause, _ bundles: TestBundles)
        async throws
    {
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=50ms"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order])
            #expect(await request.outcome.cause == cause)
            _ = await request.exit
            #expect(!(try await daemon.events().map(\.event).contains("request.dismissed")))
        }
    }

    // MARK: Faults

    /// A host that says too early that it has the answer, or never: the extension is acknowledged in its place, its
    /// view stays.
    // spec: P-120
    @Test(arguments: ["silent", "hasty"]) func nothingIsDismissedBeforeTheResultNorInTheHostsPlace(act: String)
        async throws
    {
        let bundles = try TestBundles.withPuppet()
        let timers = ["--timer", "postComplete=50ms", "--timer", "idle=50ms"]
        try await withTestDaemon(applications: [bundles.path], arguments: timers) { daemon in
            let verdict = try await HostilePeer.run(as: "host", act, against: daemon)
            #expect(verdict.message == Cause.completed.rawValue)
            let events = try await daemon.events()
            #expect(events.count { $0.event == "request.completed" } == 1)
            #expect(events.last { $0.event == "process.exited" }?.cause == .idle)
            #expect(!events.contains { $0.event == "request.dismissed" })
        }
    }

    /// Nobody takes another host's answer for received, nor its view down.
    @Test func anAcknowledgementOfAnotherHostsRequestMeansNothing() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "postComplete=10min"]) { daemon in
            let victim = try Program.run(HostilePeer.program, ["host", "silent"], socket: daemon.address.path)
            defer { try? victim.kill() }
            let end = try await daemon.event { $0.event == "request.completed" }
            let request = try #require(end.request)
            let verdict = try await HostilePeer.run(
                as: "host", "acknowledgesAnother", ranging: request.description, against: daemon)
            #expect(verdict.message == "heard")
            let open = try await daemon.control.requests()
            #expect(open.map(\.request) == [request] && open.first?.state == "completing", "\(open)")
            #expect(!(try await daemon.events().contains { $0.event == "request.dismissed" }))
        }
    }
}
