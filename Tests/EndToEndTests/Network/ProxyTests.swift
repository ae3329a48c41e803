// ProxyTests: the flows that app proxies and DNS proxies take, their bytes, and their ends.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPoints
import ExtensionProtocol
import Foundation
import Glibc
import PointHosts
import PointMessages
import Testing

@Suite struct ProxyTests {
    private static let text = Array("hello".utf8)

    // spec: NX-20, NX-15
    @Test("NX-20, NX-15: a flow is taken or refused, and the stopped proxy's request is complete") func newFlows()
        async throws
    {
        var settings = ProxyHost.Settings()
        settings.options = PointValue(["mode": "strict"])
        var configured = TunnelProtocol(provider: ProxyStage.app)
        configured.serverAddress = "192.0.2.1"
        settings.configuration = TunnelConfiguration("test", configured)
        try await ProxyStage.with(ProxyStage.app, settings) { stage in
            #expect(stage.notes.said == ["started strict 192.0.2.1 sourceApplication"])
            let flow = try #require(try await stage.open("echo.test"))
            #expect(try await flow.opened() == FlowEndpoint("10.0.0.9", 1234))
            #expect(try await stage.open("refuse.test") == nil)
            #expect(stage.notes.events.map(\.kind) == [.taken, .refused])
            guard case .completed? = await stage.proxy.stop(reason: 3) else {
                Issue.record("the request is not complete")
                return
            }
            #expect(stage.notes.said.last == "stopped noNetworkAvailable")
            await #expect(throws: FlowFailure.self) { try await flow.read() }
            await #expect(throws: ExtensionHostError.self) { try await stage.open("echo.test") }
        }
    }

    // spec: NX-21, NX-22, NX-33
    @Test("NX-21, NX-22, NX-33: bytes go both ways, and after both ends the flow is gone and counted") func bytes()
        async throws
    {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.open("echo.test"))
            try await flow.opened()
            try await flow.write(Self.text)
            #expect(try await flow.read() == Self.text)
            #expect(await stage.proxy.openFlows == 1)
            flow.finish()
            #expect(try await flow.read() == [])
            await flow.ended()
            try await eventually { await stage.proxy.counters.inbound == 5 }
            #expect(await stage.proxy.openFlows == 0)
            #expect(await stage.proxy.counters.outbound == 5)
            #expect(stage.notes.events.last.map { "\($0.kind) \($0.inbound) \($0.outbound)" } == "closed 5 5")
        }
    }

    // spec: NX-21
    @Test("NX-21: before a flow is open, reads and writes fail") func unopened() async throws {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.open("unopened.test"))
            try await flow.opened()
            try await stage.hears("read -1 NEAppProxyFlowErrorDomain 1")
            try await stage.hears("write NEAppProxyFlowErrorDomain 1")
            try await flow.write(Self.text)
            #expect(try await flow.read() == Self.text)
        }
    }

    // spec: NX-21
    @Test("NX-21: a second read is readAlreadyPending, and a flow opens once") func secondRead() async throws {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.open("twice.test"))
            try await flow.opened()
            try await stage.hears("second -1 NEAppProxyFlowErrorDomain 10")
            try await stage.hears("open again NEAppProxyFlowErrorDomain 4")
            try await flow.write(Self.text)
            try await stage.hears("first hello")
            try await flow.write(Self.text)
            #expect(try await flow.read() == Self.text)
        }
    }

    // spec: NX-22
    @Test("NX-22: an error ends a direction, and the provider's further calls fail") func errors() async throws {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.open("fail.test"))
            try await flow.opened()
            var error = await #expect(throws: FlowFailure.self) { try await flow.write(Self.text) }
            #expect(error?.code == 6)
            error = await #expect(throws: FlowFailure.self) { try await flow.read() }
            #expect(error?.code == 3)
            try await stage.hears("read -1 NEAppProxyFlowErrorDomain 1")
            try await stage.hears("write NEAppProxyFlowErrorDomain 1")
            await flow.ended()
        }
    }

    // spec: NX-22
    @Test("NX-22: a provider that reads no more can still write") func half() async throws {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.open("half.test"))
            try await flow.opened()
            #expect(try await ProxyStage.readAll(flow) == Array("half".utf8))
            await #expect(throws: FlowFailure.self) { try await flow.write(Self.text) }
            await flow.ended()
        }
    }

    // spec: NX-21
    @Test("NX-21: a side that does not read stops the other, and holds a piece at most") func pressure() async throws {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.open("source.test"))
            try await flow.opened()
            func written() async throws -> String {
                String(decoding: try #require(try await stage.proxy.send([])), as: UTF8.self)
            }
            #expect(try await written() == "0")
            #expect(try await flow.read().count == 65_536)
            #expect(try await flow.read().count == 65_536)
            try await eventually { try await written() == "2" }
            try await stage.host.fence()
            #expect(try await written() == "2")
            #expect(try await ProxyStage.readAll(flow).count == 98 * 65_536)
            // The program's bytes wait likewise, until the program is over.
            let sink = try #require(try await stage.open("sink.test"))
            try await sink.opened()
            let writing = Task { try await sink.write(Self.text) }
            try await stage.host.fence()
            #expect(sink.passed.outbound == 0)
            writing.cancel()
            await #expect(throws: FlowFailure.self) { try await writing.value }
            // No flow stops another.
            let echo = try #require(try await stage.open("echo.test"))
            try await echo.write(Self.text)
            #expect(try await echo.read() == Self.text)
        }
    }

    // spec: NX-21
    @Test("NX-21: a large write of the program arrives whole and in order") func largeBytes() async throws {
        try await ProxyStage.with(clock: .real) { stage in
            let flow = try #require(try await stage.open("echo.test"))
            try await flow.opened()
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            async let echoed = ProxyStage.readAll(flow)
            try await flow.write(bytes)
            flow.finish()
            #expect(try await echoed == bytes)
        }
    }

    // spec: NX-22
    @Test("NX-22: the end of the program is the end of the provider's read") func programEnds() async throws {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.open("aborted.test"))
            try await flow.opened()
            flow.end()
            try await stage.hears("read -1 NEAppProxyFlowErrorDomain 2")
        }
    }

    // spec: NX-22
    @Test("NX-22: the error of a closed reading is the program's, and the other direction goes on") func readErrors()
        async throws
    {
        try await ProxyStage.with { stage in
            let deny = try #require(try await stage.open("deny.test"))
            try await deny.opened()
            #expect(await deny.failure()?.code == 6)
            let error = await #expect(throws: FlowFailure.self) { try await deny.write(Self.text) }
            #expect(error?.code == 6)
            #expect(try await deny.read() == Array("why".utf8))
            deny.end()
            // Without an error there is none for the program.
            let shut = try #require(try await stage.open("shut.test"))
            try await shut.opened()
            await #expect(throws: FlowFailure.self) { try await shut.write(Self.text) }
            shut.end()
            #expect(await shut.failure() == nil)
        }
    }

    // spec: NX-22
    @Test("NX-22: the end of a task ends its flow, unless the task is done with it") func cancellations() async throws {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.open("echo.test"))
            try await flow.opened()
            let late = Task {
                try await flow.write(Self.text)
                let bytes = try await flow.read()
                // The cancellation comes after the last use.
                while !Task.isCancelled { await Task.yield() }
                return bytes
            }
            try await eventually { flow.passed.inbound > 0 }
            late.cancel()
            #expect(try await late.value == Self.text)
            try await flow.write(Self.text)
            #expect(try await flow.read() == Self.text)
            // A task that is cancelled before it waits does not wait.
            let early = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await flow.read()
            }
            early.cancel()
            await #expect(throws: FlowFailure.self) { try await early.value }
            await flow.ended()
            // A cancellation after the end changes nothing, also for other flows.
            let other = try #require(try await stage.open("echo.test"))
            flow.end()
            try await other.write(Self.text)
            #expect(try await other.read() == Self.text)
        }
    }

    // spec: NX-20
    @Test("NX-20: a flow that is taken and not held, or not opened in time, ends") func neglect() async throws {
        var settings = ProxyHost.Settings()
        settings.openLimit = .milliseconds(100)
        try await ProxyStage.with(ProxyStage.app, settings) { stage in
            let released = try #require(try await stage.open("released.test"))
            await #expect(throws: FlowFailure.self) { try await released.opened() }
            let never = try #require(try await stage.open("never.test"))
            await #expect(throws: FlowFailure.self) { try await never.opened() }
            await never.ended()
            try await eventually { await stage.proxy.openFlows == 0 }
        }
    }

    // spec: NX-20
    @Test("NX-20: a provider that dies ends its flows, and the next flow starts another", arguments: [false, true])
    func death(isKilled: Bool) async throws {
        try await ProxyStage.with(clock: .real) { stage in
            let echo = try #require(try await stage.open("echo.test"))
            try await echo.opened()
            let die = try #require(try await stage.open("die.test"))
            try await die.opened()
            if isKilled {
                kill(pid_t(try #require(await stage.proxy.processIdentifier)), SIGKILL)
            } else {
                try await die.write(Self.text)
            }
            for flow in [echo, die] {
                let error = await #expect(throws: FlowFailure.self) { try await flow.read() }
                #expect(error?.code == 5)
            }
            await #expect(throws: ExtensionHostError.self) { try await stage.open("crash.test") }
            let next = try #require(try await stage.open("echo.test"))
            try await next.write(Self.text)
            #expect(try await next.read() == Self.text)
            try await eventually { stage.notes.said.filter { $0.hasPrefix("started") }.count >= 2 }
        }
    }

    // spec: NX-20
    @Test("NX-20: refused flows that the provider keeps count on neither side") func keptFlows() async throws {
        try await ProxyStage.with(clock: .real) { stage in
            for _ in 0..<520 { #expect(try await stage.open("kept.test") == nil) }
            let echo = try #require(try await stage.open("echo.test"))
            try await echo.write(Self.text)
            #expect(try await echo.read() == Self.text)
        }
    }

    // spec: NX-20
    @Test("NX-20: a provider that does not decide in five seconds gets no flow") func silence() async throws {
        try await ProxyStage.with(clock: .real) { stage in
            let error = await #expect(throws: ExtensionHostError.self) { try await stage.open("hang.test") }
            #expect(error?.code == .timedOut, "\(String(describing: error))")
            #expect(await stage.proxy.counters.undecided == 1)
        }
    }

    // spec: NX-20
    @Test("NX-20: a provider that hangs loses its flows, and no program waits for ever") func hang() async throws {
        var settings = ProxyHost.Settings()
        settings.entryLimit = .seconds(3)
        try await ProxyStage.with(ProxyStage.app, settings, clock: .real) { stage in
            let echo = try #require(try await stage.open("echo.test"))
            try await echo.opened()
            let hung = await stage.proxy.processIdentifier
            let hanging = Task { try await stage.open("hang.test") }
            try await stage.hears("hangs")
            let reading = Task { try await echo.read() }
            try await echo.write(Self.text)
            let error = await #expect(throws: FlowFailure.self) { try await reading.value }
            #expect(error?.code == 5)
            await #expect(throws: ExtensionHostError.self) { try await hanging.value }
            // Another process serves the next flow.
            let next = try #require(try await stage.open("echo.test"))
            try await next.write(Self.text)
            #expect(try await next.read() == Self.text)
            let old = pid_t(try #require(hung))
            #expect(await stage.proxy.processIdentifier != Int(old))
            // The one that hangs does not stay behind.
            try await eventually { isGone(old) }
        }
    }

    // spec: NX-20, NX-21
    @Test("NX-20, NX-21: many flows at a time are answered, and 512 are the limit") func manyFlows() async throws {
        try await ProxyStage.with(clock: .real) { stage in
            let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let flow = try #require(try await stage.open("echo.test"))
                        let bytes = [UInt8](repeating: UInt8(number & 0xff), count: 1000 + number)
                        try await flow.write(bytes)
                        flow.finish()
                        let all = try await ProxyStage.readAll(flow)
                        return all == bytes ? [UInt8(number & 0xff)] : []
                    }
                }
                return try await group.reduce(into: [UInt8]()) { $0 += $1 }
            }
            #expect(answers.count == 300)
            try await eventually { await stage.proxy.openFlows == 0 }
            var flows: [ProxiedFlow] = []
            for _ in 0..<512 { flows.append(try #require(try await stage.open("sink.test"))) }
            let error = await #expect(throws: ExtensionHostError.self) { try await stage.open("echo.test") }
            #expect(error?.code == .quotaExceeded)
            flows[7].end()
            try await eventually { (try? await stage.open("echo.test")) != nil }
        }
    }

    // spec: NX-22
    @Test("NX-22: a handler that hangs stops its own flow only") func stuckHandler() async throws {
        try await ProxyStage.with(clock: .real) { stage in
            let stuck = try #require(try await stage.open("stuck.test"))
            try await stuck.opened()
            try await stuck.write(Self.text)
            let echo = try #require(try await stage.open("echo.test"))
            try await echo.write(Self.text)
            #expect(try await echo.read() == Self.text)
        }
    }

    // spec: NX-9
    @Test("NX-9: a proxy that ends from within gets no further flows") func cancellation() async throws {
        try await ProxyStage.with { stage in
            let echo = try #require(try await stage.open("echo.test"))
            try await echo.opened()
            _ = try? await stage.open("cancel.test")
            await #expect(throws: FlowFailure.self) { try await echo.read() }
            try await eventually { !stage.notes.ends.isEmpty }
            #expect(stage.notes.ends.first??.code == CocoaError.Code.userCancelled.rawValue)
            await #expect(throws: ExtensionHostError.self) { try await stage.open("echo.test") }
        }
    }

    // spec: NX-3
    @Test("NX-3: an app proxy's settings are checked") func settings() async throws {
        try await ProxyStage.with { stage in
            _ = try await stage.open("settings.test")
            try await stage.hears("settings 1")
        }
    }

    // spec: NX-14
    @Test("NX-14: a proxy is told of the machine's sleep") func sleep() async throws {
        try await ProxyStage.with { stage in
            await stage.proxy.sleep()
            await stage.proxy.wake()
            #expect(stage.notes.said.dropFirst() == ["sleep", "wake"])
        }
    }

    // spec: NX-21, NX-22
    @Test("NX-21, NX-22: datagrams keep their ends and their order") func datagrams() async throws {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.openDatagrams("192.0.2.1"))
            try await flow.opened()
            #expect(stage.notes.said.last == "datagrams 192.0.2.1:53 10.0.0.1:4444")
            let sent = (0..<200).map {
                FlowDatagram([UInt8](repeating: UInt8($0), count: $0), FlowEndpoint("192.0.2.\($0)", $0))
            }
            async let sending: Void = flow.send(sent)
            var got: [FlowDatagram] = []
            while got.count < sent.count { got += try await flow.receive() }
            try await sending
            #expect(got == sent)
            flow.finish()
            #expect(try await flow.receive() == [])
            await flow.ended()
            #expect(try await stage.openDatagrams("192.0.2.99") == nil)
        }
    }

    // spec: NX-21
    @Test("NX-21: a datagram that is too large is refused, and one without a sender") func largeDatagrams() async throws
    {
        try await ProxyStage.with { stage in
            let flow = try #require(try await stage.openDatagrams("192.0.2.98"))
            try await flow.opened()
            try await stage.hears("large NEAppProxyFlowErrorDomain 9")
            try await stage.hears("senders NEAppProxyFlowErrorDomain 4")
            let most = FlowDatagram([UInt8](repeating: 1, count: 65_507), FlowEndpoint("192.0.2.98", 53))
            async let sending: Void = flow.send([most, most])
            var got: [FlowDatagram] = []
            while got.count < 2 { got += try await flow.receive() }
            try await sending
            #expect(got == [most, most])
        }
    }

    // spec: NX-23
    @Test("NX-23: a DNS proxy knows the system's name servers, and answers by both kinds of flows") func names()
        async throws
    {
        var settings = ProxyHost.Settings()
        settings.names = NetworkNames(["192.0.2.53"])
        try await ProxyStage.with(ProxyStage.names, settings) { stage in
            #expect(stage.notes.said == ["servers [\"192.0.2.53\"]"])
            let flow = try #require(try await stage.openDatagrams("192.0.2.53"))
            try await flow.send([FlowDatagram([1, 2, 3], FlowEndpoint("192.0.2.53", 53))])
            #expect(try await flow.receive() == [FlowDatagram([3, 2, 1], FlowEndpoint("192.0.2.53", 53))])
            let long = try #require(try await stage.open("192.0.2.53"))
            try await long.write(Self.text)
            #expect(String(decoding: try await ProxyStage.readAll(long), as: UTF8.self) == "192.0.2.53:80 hello")
        }
    }

    @Test func aProxyThatRefusesToStartTellsItsError() async throws {
        var settings = ProxyHost.Settings()
        settings.options = PointValue(["mode": "refuse"])
        try await ProxyStage.with(ProxyStage.app, settings, starts: false) { stage in
            let error = await #expect(throws: NSError.self) { try await stage.proxy.start() }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == CocoaError.Code.featureUnsupported.rawValue)
        }
    }

    // spec: NX-4
    @Test("NX-4: a proxy whose start hangs is not started") func startLimit() async throws {
        var settings = ProxyHost.Settings()
        settings.options = PointValue(["mode": "hang"])
        settings.startLimit = .milliseconds(200)
        try await ProxyStage.with(ProxyStage.app, settings, clock: .real, starts: false) { stage in
            let error = await #expect(throws: ExtensionHostError.self) { try await stage.proxy.start() }
            #expect(error?.code == .timedOut, "\(String(describing: error))")
        }
        for point in [ProxyHost.point, ProxyHost.dnsPoint] {
            let limits = PointTable()[point].callLimits
            #expect(limits[StartProxy.name] == .seconds(60) && limits[StopProxy.name] == .seconds(5))
            #expect(limits[ProxyNewFlow.name] == .seconds(5))
        }
    }

    // spec: NX-16
    @Test(
        "NX-16: without the entitlement's kind the request is refused", arguments: [ProxyStage.app, ProxyStage.names])
    func entitlement(identifier: String) async throws {
        let bundles = try ProxyStage.bundles(entitlements: ["packet-tunnel-provider"])
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let proxy = ProxyHost(try await daemon.host("proxy").application, identifier)
            let error = await #expect(throws: ExtensionHostError.self) { try await proxy.start() }
            #expect(error?.code == .notPermitted, "\(String(describing: error))")
            #expect(error?.message.contains("does not have the entitlement") == true)
        }
    }
}
