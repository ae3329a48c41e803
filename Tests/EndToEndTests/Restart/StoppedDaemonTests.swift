// StoppedDaemon: a daemon that was stopped is started by a host that asks something, and by no other.

import ExtensionConnection
@testable import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Glibc
import TestPrograms
import Testing

@Suite struct StoppedDaemonTests {
    @Test func aStopIsNotUndoneByHostsThatHaveNothingToAsk() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            var lists = host.discover().makeAsyncIterator()
            #expect(try await lists.next()?.map(\.identifier) == [puppet])
            let watch = try Program.control(["watch", "--since", "0", "--json"], socket: manager.address.path)
            // One that is still on its way would rightly start a daemon.
            try await watch.shows("daemon.started")
            let request = try await host.begin(puppet, items: [order("hang")])
            try await host.setState(.background)
            manager.startOnlyWhenAsked()
            manager.kill(SIGTERM)
            #expect(await request.outcome.cause == .daemonStopping)
            _ = try await watch.ending()
            try await eventually { host.channel.isAsleep && manager.daemon == 0 }
            // A move of the host's, and what belongs to the request that has ended, are no reason to start a daemon.
            try await host.setState(.inactive)
            try await request.cancel()
            #expect(manager.starts == 1 && !manager.isAsked)

            let next = try await host.begin(puppet, items: [order("count")])
            #expect(try items(of: await next.outcome).first?.userInfo?["begun"] as? Int == 1)
            #expect(manager.starts == 2)
            #expect(try await lists.next()?.map(\.identifier) == [puppet])
            // It is in the state that it is in.
            try await host.fence()
            let control = try await DaemonControl.connect(name: "test", to: manager.address)
            #expect(try await control.hosts().map(\.state) == [.inactive])
        }
    }

    @Test func whereNoDaemonFollowsEachQuestionIsAnswered() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address, patience: .zero)
            let control = try await DaemonControl.connect(name: "test", to: manager.address)
            try await manager.stop()
            // Nobody listens any more.
            unlink(manager.address.path)
            for _ in 0..<2 {
                await #expect(throws: ExtensionHostError.self) { try await host.extensions() }
                await #expect(throws: ExtensionHostError.self) { try await host.begin(puppet, items: []) }
            }
            await #expect(throws: ExtensionHostError.self) { try await control.hosts() }
            host.disconnect()
            await #expect(throws: ExtensionHostError.self) { try await host.extensions() }
        }
    }
}
