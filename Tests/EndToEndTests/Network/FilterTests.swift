// FilterTests: the decisions of network filters, and the bytes that wait for them.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPoints
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Testing

@Suite struct FilterTests {
    // spec: NX-24, PC-15
    @Test("NX-24, PC-15: a new flow is allowed or dropped, and the stopped filter's request is complete")
    func newFlows() async throws {
        var settings = FilterHost.Settings()
        settings.configuration.organization = "Example"
        settings.configuration.vendor = PointValue(["mode": "strict"])
        try await FilterStage.with(settings) { stage in
            let allowed = try await stage.open("allow.test")
            #expect(await allowed.isAllowed)
            #expect(try await stage.pass("anything", allowed) == "anything")
            #expect(try await stage.pass("else", allowed, .outbound) == "else")
            #expect(await allowed.passed == (8, 4))
            let dropped = try await stage.open("drop.test")
            #expect(await !dropped.isAllowed)
            await #expect(throws: FlowDropped.self) { try await stage.pass("anything", dropped) }
            #expect(stage.notes.decisions.map(\.effect) == [.allowed, .dropped])
            #expect(stage.notes.said == ["started strict, Example"])
            guard case .completed? = await stage.filter.stop(reason: 3) else {
                Issue.record("the request is not complete")
                return
            }
            #expect(stage.notes.said.last == "stopped noNetworkAvailable")
            let late = try await stage.open("allow.test")
            #expect(await !late.isAllowed)
        }
    }

    // spec: NX-24
    @Test("NX-24: a filter sees the ends and the direction of a socket's flow") func socketFlows() async throws {
        try await FilterStage.with { stage in
            var flow = NetworkFlow(0, identifier: "", .stream)
            flow.remote = FlowEndpoint("192.0.2.1", 443)
            flow.hostname = "other.test"
            flow.isInbound = true
            let opened = try await stage.filter.open(flow)
            #expect(await opened.isAllowed)
            #expect(stage.notes.said.last == "flow none 192.0.2.1:443 inbound")
        }
    }

    // spec: NX-24, NX-25
    @Test("NX-24, NX-25: bytes wait for the verdict, which names those that pass and those that are seen next")
    func peekedBytes() async throws {
        try await FilterStage.with { stage in
            let flow = try await stage.open("peek.test")
            // Three bytes: the filter sees them, and waits for the fourth.
            #expect(try await stage.pass("abc", flow) == "")
            #expect(await flow.held.inbound == 3)
            #expect(try await stage.pass("defghij", flow) == "abcdefgh")
            #expect(await flow.held.inbound == 2)
            // Two bytes more than it has seen pass.
            #expect(try await stage.pass("xxskip", flow) == "ijxxskip")
            #expect(try await stage.pass("12", flow) == "12")
            #expect(try await stage.pass("3456", flow) == "3456")
            #expect(try await stage.pass("last", flow, .outbound) == "last")
            #expect(try await stage.pass("more", flow, .outbound) == "more")
            #expect(try await stage.pass("7", flow) == "")
            #expect(String(decoding: try await flow.finish(.inbound), as: UTF8.self) == "7")
            _ = try await flow.finish(.outbound)
            #expect(
                stage.notes.said.dropFirst() == [
                    "in 0 abc", "in 0 abcd", "in 4 efgh", "in 8 ij", "in 8 ijxx", "in 12 skip", "in 18 3456",
                    "out 0 las", "in 22 7", "in complete",
                ])
            await flow.close()
            #expect(stage.notes.decisions.last?.effect == .closed)
            #expect(stage.notes.decisions.last?.inbound == 23)
        }
    }

    // spec: NX-24, NX-25
    @Test("NX-24, NX-25: a verdict about bytes ends the flow, and none of them passes") func droppedBytes() async throws
    {
        try await FilterStage.with { stage in
            let flow = try await stage.open("inbound.test")
            #expect(try await stage.pass("good", flow) == "good")
            await #expect(throws: FlowDropped.self) { try await stage.pass("very BAD", flow) }
            await #expect(throws: FlowDropped.self) { try await stage.pass("out", flow, .outbound) }
            #expect(await flow.passed == (4, 0))
            #expect(stage.notes.decisions.last?.subject == .inbound)
        }
    }

    // spec: NX-25
    @Test("NX-25: a filter that lets no byte pass holds a bounded number, and decides at the end") func heldBytes()
        async throws
    {
        var settings = FilterHost.Settings()
        settings.mostHeld = 1000
        try await FilterStage.with(settings) { stage in
            let flow = try await stage.open("greedy.test")
            #expect(try await stage.pass(String(repeating: "a", count: 999), flow) == "")
            let error = await #expect(throws: FlowDropped.self) { try await stage.pass("b", flow) }
            #expect(error?.reason == .tooManyBytes(1000))
            let other = try await stage.open("greedy.test")
            #expect(try await stage.pass("abc", other) == "")
            await #expect(throws: FlowDropped.self) { try await other.finish(.inbound) }
        }
    }

    // spec: NX-24
    @Test("NX-24: a refused flow has a page, and a URL gets a text, from the control provider's maps")
    func remediation() async throws {
        try await FilterStage.with { stage in
            let flow = try await stage.open("remedy.test")
            #expect(await !flow.isAllowed)
            let decision = try #require(stage.notes.decisions.last)
            #expect(decision.effect == .remediated)
            #expect(decision.page?.url == "https://rules.test/?a&b" && decision.page?.button == "Ask <them>")
            #expect(await stage.filter.requestAccess(flow.value))
            let other = try await stage.open("append.test")
            #expect(await other.isAllowed)
            #expect(stage.notes.decisions.last?.appended == "&safe=1")
            #expect(await !stage.filter.requestAccess(other.value))
        }
    }

    // spec: NX-26
    @Test("NX-26: the control provider writes rules, and the data provider is asked again") func rules() async throws {
        try await FilterStage.with { stage in
            let flow = try await stage.open("rules.test")
            #expect(await flow.isAllowed)
            #expect(stage.notes.said.filter { $0 == "rules changed" }.count == 1)
            let again = try await stage.open("rules.test")
            #expect(await again.isAllowed)
            #expect(stage.notes.said.filter { $0 == "rules changed" }.count == 1)
            let decided = try await stage.open("control.test")
            #expect(await !decided.isAllowed)
            #expect(stage.notes.decisions.last?.reason == .verdict)
            // The rules never have it: the questions end.
            let never = try await stage.open("never.test")
            #expect(await !never.isAllowed)
            guard case .failed(let why)? = stage.notes.decisions.last?.reason else {
                Issue.record("\(stage.notes.decisions)")
                return
            }
            #expect(why.contains("3 times"))
        }
        try await FilterStage.with(control: nil) { stage in
            let flow = try await stage.open("rules.test")
            #expect(await !flow.isAllowed)
        }
    }

    // spec: NX-27
    @Test("NX-27: the data provider has no network, and its group's container is readable only")
    func confinement() async throws {
        try await FilterStage.with { stage in
            _ = try await stage.open("rules.test")
            _ = try await stage.open("confined.test")
            #expect(stage.notes.said.last == "no network, group read only, rules rules.test")
        }
    }

    // spec: NX-27
    @Test("NX-27: the control provider has the network, and gets no bytes of flows") func controlProvider()
        async throws
    {
        try await FilterStage.with { stage in
            let flow = try await stage.open("network.test")
            #expect(await flow.isAllowed)
            #expect(stage.notes.said.last == "control provider: network")
        }
        // The daemon refuses each call that the point's property list lacks.
        let point = PointTable()[FilterHost.controlPoint]
        #expect(point.messages.accepts.contains(ControlNewFlow.name))
        for call in [FilterData.name, FilterDataComplete.name, FilterNewFlow.name] {
            #expect(!point.messages.accepts.contains(call))
        }
    }

    // spec: NX-28
    @Test(
        "NX-28: a flow about which the filter does not decide in five seconds is dropped, or allowed",
        arguments: [false, true])
    func silence(failsOpen: Bool) async throws {
        var settings = FilterHost.Settings()
        settings.failsOpen = failsOpen
        // The author's code never rests, so a virtual clock could not move.
        settings.verdictLimit = .milliseconds(200)
        try await FilterStage.with(settings, clock: .real) { stage in
            let flow = try await stage.open("hang.test")
            #expect(await flow.isAllowed == failsOpen)
            let decision = try #require(stage.notes.decisions.last)
            #expect(decision.effect == (failsOpen ? .allowed : .dropped))
            guard case .failed(let why) = decision.reason else {
                Issue.record("\(decision)")
                return
            }
            #expect(why.contains("timedOut") || why.contains("time"), "\(why)")
        }
    }

    // spec: NX-28
    @Test("NX-28: a filter that has crashed decides about the next flow again") func crash() async throws {
        try await FilterStage.with { stage in
            let flow = try await stage.open("crash.test")
            #expect(await !flow.isAllowed)
            let next = try await stage.open("allow.test")
            #expect(await next.isAllowed)
            #expect(stage.notes.said.filter { $0.hasPrefix("started") }.count == 2)
        }
    }

    // spec: NX-29
    @Test("NX-29: a provider gets reports of the verdicts that want them, and of the flow's end") func reports()
        async throws
    {
        try await FilterStage.with { stage in
            let flow = try await stage.open("report.test")
            #expect(try await stage.pass("abcdef", flow) == "abcdef")
            await flow.close()
            let silent = try await stage.open("allow.test")
            await silent.close()
            #expect(
                stage.notes.said.dropFirst() == [
                    "report newFlow filterData 0 0", "report dataDecision filterData 0 0",
                    "report flowClosed filterData 6 0",
                ])
        }
    }

    // spec: NX-29
    @Test("NX-29: the verdict about a complete direction has a report, if it wants one") func reportsOfComplete()
        async throws
    {
        try await FilterStage.with { stage in
            let flow = try await stage.open("complete.test")
            #expect(try await stage.pass("abc", flow) == "")
            #expect(try await stage.pass("out", flow, .outbound) == "")
            #expect(String(decoding: try await flow.finish(.outbound), as: UTF8.self) == "out")
            #expect(String(decoding: try await flow.finish(.inbound), as: UTF8.self) == "abc")
            await flow.close()
            #expect(
                stage.notes.said.dropFirst() == [
                    "report dataDecision filterData 0 3", "report flowClosed filterData 3 3",
                ])
        }
    }

    // spec: NX-29
    @Test("NX-29: a refused new flow and refused bytes have reports, if their verdicts want them") func reportsOfDrops()
        async throws
    {
        try await FilterStage.with { stage in
            let refused = try await stage.open("reportdrop.test")
            #expect(await !refused.isAllowed)
            let flow = try await stage.open("reportbytes.test")
            await #expect(throws: FlowDropped.self) { try await stage.pass("abc", flow) }
            await flow.close()
            #expect(
                stage.notes.said.dropFirst() == [
                    "report newFlow drop 0 0", "report newFlow filterData 0 0", "report dataDecision drop 0 0",
                ])
        }
    }

    // spec: NX-24
    @Test(
        "NX-24: a flow that the provider does not resume in time is dropped, or allowed", arguments: [false, true])
    func forgottenPause(failsOpen: Bool) async throws {
        var settings = FilterHost.Settings()
        settings.failsOpen = failsOpen
        settings.pauseLimit = .milliseconds(100)
        try await FilterStage.with(settings) { stage in
            let flow = try await stage.open("forget.test")
            #expect(await flow.isAllowed == failsOpen)
            guard case .failed(let why)? = stage.notes.decisions.last?.reason else {
                Issue.record("\(stage.notes.decisions)")
                return
            }
            #expect(why.contains("not resumed the flow within 0.1"), "\(why)")
        }
    }

    // spec: NX-24
    @Test("NX-24: questions about flows that are over leave nothing behind in the provider") func closedFlows()
        async throws
    {
        try await FilterStage.with(clock: .real) { stage in
            for _ in 0..<513 {
                let flow = try await stage.open("remedy.test")
                await flow.close()
                #expect(await stage.filter.requestAccess(flow.value))
            }
            // The provider knows at most 512 flows at a time.
            let flow = try await stage.open("inbound.test")
            #expect(try await stage.pass("good", flow) == "good")
        }
    }

    // spec: NX-24
    @Test("NX-24: a paused flow waits for the provider's verdict") func pausedFlows() async throws {
        try await FilterStage.with { stage in
            let flow = try await stage.open("pause.test")
            #expect(await !flow.isAllowed)
            #expect(stage.notes.decisions.last?.reason == .verdict)
        }
    }

    // spec: NX-14
    @Test("NX-14: both providers of a filter are told of the machine's sleep") func sleep() async throws {
        try await FilterStage.with { stage in
            await stage.filter.sleep()
            await stage.filter.wake()
            #expect(stage.notes.said.dropFirst() == ["sleep", "wake"])
        }
    }

    @Test func aFilterThatRefusesToStartTellsItsError() async throws {
        var settings = FilterHost.Settings()
        settings.configuration.vendor = PointValue(["mode": "refuse"])
        try await FilterStage.with(settings, starts: false) { stage in
            let error = await #expect(throws: NSError.self) { try await stage.filter.start() }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == CocoaError.Code.featureUnsupported.rawValue)
        }
    }

    // spec: NX-16
    @Test("NX-16: without the entitlement's kind the request is refused") func entitlement() async throws {
        let bundles = try FilterStage.bundles(entitlement: "packet-tunnel-provider")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("filter").application
            let filter = FilterHost(host, data: FilterStage.data)
            let error = await #expect(throws: ExtensionHostError.self) { try await filter.start() }
            #expect(error?.code == .notPermitted, "\(String(describing: error))")
            #expect(error?.message.contains("does not have the entitlement") == true)
        }
    }
}
