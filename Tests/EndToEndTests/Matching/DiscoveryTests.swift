// DiscoveryTests: a host that follows which extensions there are, and items of which some extensions get more than
// others.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct ContinuousDiscoveryTests {
    /// Reads lists until one is as wanted; nil when the sequence ends before. The test's own time limit bounds the
    /// wait.
    private func next(
        _ iterator: inout AsyncThrowingStream<[FoundExtension], any Error>.Iterator, where isWanted: ([String]) -> Bool
    ) async throws -> [String]? {
        while let found = try await iterator.next() {
            let names = found.map(\.identifier)
            if isWanted(names) { return names }
        }
        return nil
    }

    // spec: P-201
    @Test(.timeLimit(.minutes(5)))
    func anAppThatComesAndGoesAndAnElectionAreSeen() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [folder.path]) { daemon in
            let host = try await daemon.host("notes")
            var lists = host.application.discover(accepting: [.text("x")]).makeAsyncIterator()
            #expect(try await lists.next()?.isEmpty == true)
            try FileManager.default.copyItem(atPath: bundles.path + "/Tests.app", toPath: folder.path + "/Tests.app")
            #expect(try await next(&lists) { !$0.isEmpty } == [puppet])
            try await daemon.control.elect(.ignore, puppet)
            #expect(try await next(&lists) { $0.isEmpty } == [])
            try await daemon.control.elect(.default, puppet)
            #expect(try await next(&lists) { !$0.isEmpty } == [puppet])
            try FileManager.default.removeItem(atPath: folder.path + "/Tests.app")
            #expect(try await next(&lists) { $0.isEmpty } == [])
            host.disconnect()
            await #expect(throws: ExtensionHostError.self) { while try await lists.next() != nil {} }
        }
    }

    /// A daemon that is ended, or killed, and another one at the same place, with other extensions: one sequence tells
    /// of both.
    // spec: P-201
    @Test(.timeLimit(.minutes(5)), arguments: [false, true], [false, true])
    func aRestartOfTheDaemonIsAChangeLikeAnyOther(byKill: Bool, accepting: Bool) async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let applications = folder.path + "/applications"
        try FileManager.default.createDirectory(atPath: applications, withIntermediateDirectories: false)
        let bundles = try TestBundles.withPuppet()
        let address = DaemonAddress(path: folder.path + "/exthost/host.sock")
        var daemon = try await Program.daemon(in: folder.path, ["--applications", applications])
        let host = try await HostApplication.connect(name: "notes", to: address, patience: .seconds(30))
        var lists = host.discover(accepting: accepting ? [.text("x")] : nil).makeAsyncIterator()
        #expect(try await lists.next()?.isEmpty == true)
        for isThere in [true, false] {
            if byKill { try daemon.kill() } else { try daemon.end() }
            _ = try await daemon.ending()
            // Changed while nobody looks.
            if isThere {
                try FileManager.default.copyItem(
                    atPath: bundles.path + "/Tests.app", toPath: applications + "/Tests.app")
            } else {
                try FileManager.default.removeItem(atPath: applications + "/Tests.app")
            }
            daemon = try await Program.daemon(in: folder.path, ["--applications", applications])
            #expect(try await next(&lists) { $0.isEmpty != isThere } == (isThere ? [puppet] : []))
        }
        // It follows the last one as it did the first.
        try FileManager.default.copyItem(atPath: bundles.path + "/Tests.app", toPath: applications + "/Tests.app")
        #expect(try await next(&lists) { !$0.isEmpty } == [puppet])
        host.disconnect()
        await #expect(throws: ExtensionHostError.self) { while try await lists.next() != nil {} }
        try daemon.end()
        #expect(try await daemon.ending().status == 0)
    }

    /// Nobody comes back: the sequence fails when the host's patience is over, and does not hang.
    @Test(.timeLimit(.minutes(5)))
    func aDaemonThatStaysAwayEndsTheSequence() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let daemon = try await Program.daemon(in: folder.path, ["--applications", folder.path])
        let host = try await HostApplication.connect(
            name: "notes", to: DaemonAddress(path: folder.path + "/exthost/host.sock"), patience: .milliseconds(200))
        var lists = host.discover().makeAsyncIterator()
        #expect(try await lists.next()?.isEmpty == true)
        try daemon.kill()
        _ = try await daemon.ending()
        await #expect(
            performing: { while try await lists.next() != nil {} },
            throws: { error in
                let code = (error as? ExtensionHostError)?.code
                return code == .connectionLost || code == .noDaemon
            })
    }

    /// Two readers of one host, one of which stops reading.
    // spec: P-201
    @Test(.timeLimit(.minutes(5)))
    func readersDoNotDisturbEachOtherAndLeaveNothingBehind() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            for try await found in host.application.discover() {
                #expect(found.map(\.identifier) == [puppet])
                break
            }
            var lists = host.application.discover().makeAsyncIterator()
            #expect(try await lists.next()?.count == 1)
            try await daemon.control.elect(.ignore, puppet)
            #expect(try await next(&lists) { $0.isEmpty } == [])
        }
    }

    @Test func extensionsOfOneAppAreFoundByItsPath() async throws {
        let bundles = try TestBundles.withPuppet()
        let sampleFolder = try samples()
        try await withTestDaemon(applications: [bundles.path, sampleFolder]) { daemon in
            let host = try await daemon.host("notes").application
            #expect(try await host.extensions(of: bundles.path + "/Tests.app").map(\.identifier) == [puppet])
            #expect(try await host.extensions(of: bundles.path + "/Tests.app/").count == 1)
            #expect(try await host.extensions(of: bundles.path).isEmpty)
        }
    }

    /// The page's property list goes to whose rule asks for a web page; to everybody else it would be one attachment
    /// too many.
    // spec: P-310
    @Test func aWebPageReachesOnlyExtensionsThatAskForIt() async throws {
        let bundles = try TestBundles()
        let program = SampleApplications.buildFolder + "/Puppet"
        let url = "NSExtensionActivationSupportsWebURLWithMaxCount"
        for (name, rule) in [
            ("page", [url: 1, "NSExtensionActivationSupportsWebPageWithMaxCount": 1]), ("link", [url: 1]),
        ] {
            try bundles.add(name, program: program, principalClass: "Puppet.Puppet", rule: rule)
        }
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("browser").application
            let page = ["title": "An example"] as NSDictionary
            let item = order(
                "types",
                attachments: [
                    NSItemProvider(item: URL(string: "https://example.org") as NSURL?, typeIdentifier: "public.url")
                ])
            let offered = OfferedItem(
                item, webPage: NSItemProvider(item: page, typeIdentifier: "com.apple.property-list"))
            #expect(try await host.extensions(offered: [offered]).count == 2)
            let both = try await host.extensions(accepting: [offered.item(forWebPage: true)])
            #expect(both.map(\.identifier) == ["org.exthost.tests.page"])
            for (name, types) in [("page", ["public.url", "com.apple.property-list"]), ("link", ["public.url"])] {
                let request = try await host.begin("org.exthost.tests.\(name)", offering: [offered])
                let returned = try items(of: await request.outcome)
                #expect(returned.first?.userInfo?["types"] as? [[String]] == types.map { [$0] })
            }
            #expect(item.attachments?.count == 1)
        }
    }
}
