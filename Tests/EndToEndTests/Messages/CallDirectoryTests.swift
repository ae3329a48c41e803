// CallDirectoryTests: call directories, their loads, and the telephone that keeps them.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import TestPrograms
import Testing

@Suite struct CallDirectoryTests {
    private static let directory = "org.exthost.tests.directory"

    private struct Stage {
        let bundles: TestBundles
        let daemon: TestDaemon
        let host: HostApplication
        let telephone: CallDirectoryHost

        func write(_ acts: String) throws {
            let path = "\(bundles.path)/Tests.app/PlugIns/directory.appex/act"
            try Data(acts.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        }

        func reload(_ acts: String) async throws -> CallDirectory {
            try write(acts)
            return try await telephone.reload(directory)
        }

        /// The fault of a load.
        func fault(_ acts: String, for app: String? = nil) async throws -> CallDirectoryFault? {
            try write(acts)
            do {
                _ = try await telephone.reload(directory, for: app)
                return nil
            } catch let error as NSError where error.domain == CallDirectoryFault.domain {
                return CallDirectoryFault(rawValue: error.code)
            }
        }

        func expect(
            _ fault: CallDirectoryFault?, _ acts: String, _ location: SourceLocation = #_sourceLocation
        ) async throws {
            let found = try await self.fault(acts)
            #expect(found == fault, "\(acts)", sourceLocation: location)
        }

        func output() async throws -> String {
            try await Program.control(["logs", directory], socket: daemon.address.path).ending().output
        }
    }

    private static func add(
        to bundles: TestBundles, _ principalClass: String = "CallDirectory", identifier: String = directory
    ) throws {
        try bundles.add(
            "directory", identifier: identifier, program: SampleApplications.buildFolder + "/CallDirectory",
            point: CallDirectoryHost.point, principalClass: "CallDirectory.\(principalClass)", rule: nil)
    }

    /// Runs a body with a daemon whose clock is virtual.
    private static func with(
        _ principalClass: String = "CallDirectory", limits: CallDirectory.Limits = .init(),
        _ body: (Stage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try add(to: bundles, principalClass)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("telephone").application
            let telephone = CallDirectoryHost(host, limits: limits)
            try await body(Stage(bundles: bundles, daemon: daemon, host: host, telephone: telephone))
        }
    }

    // spec: CD-1
    @Test("CD-1: a provider gives its entries and completes the request") func load() async throws {
        try await Self.with { stage in
            let directory = try await stage.reload("block 15 20;identify 20=Work 30=Home")
            #expect(directory.blockedCount == 2 && directory.identifiedCount == 2)
            #expect(directory[20] == .init(isBlocked: true, label: "Work"))
            #expect(directory[15]?.label == nil && directory[30]?.label == "Home" && directory[31] == nil)
            try await eventually { try await stage.output().contains("completed, expired: false") }
            // Its items count for nothing.
            #expect(try await stage.reload("removeNothing;items").blockedCount == 2)
        }
        try await Self.with("NoDirectory") { stage in
            try await stage.expect(.loadingInterrupted, "")
        }
    }

    // spec: CD-2
    @Test("CD-2: the faults of entries have Apple's numbers") func faults() async throws {
        var limits = CallDirectory.Limits()
        limits.entries = 5_000
        try await Self.with(limits: limits) { stage in
            for (acts, fault) in [
                ("block 2 1", CallDirectoryFault.entriesOutOfOrder), ("identify 2=a 1=b", .entriesOutOfOrder),
                ("block 1 1", .duplicateEntries), ("fill 5001", .maximumEntriesExceeded),
                ("unblock 1", .unexpectedIncrementalRemoval), ("forgetAll", .unexpectedIncrementalRemoval),
                ("block 1;die", .loadingInterrupted), ("cancel", .loadingInterrupted),
            ] {
                try await stage.expect(fault, acts)
            }
            #expect(CallDirectoryFault.allCases.map(\.rawValue) == Array(0...8))
            try await stage.expect(nil, "fill 5000")
        }
    }

    // spec: CD-2
    @Test("CD-2: an extension that does not complete has its load interrupted, and a second load waits for none")
    func time() async throws {
        try await Self.with { stage in
            try stage.write("block 1;hang")
            let late = Task { try await stage.fault("block 1;hang") }
            try await stage.daemon.event { $0.detail?.hasPrefix("callDirectory.load 1 by") == true }
            try await stage.expect(.currentlyLoading, "block 1;hang")
            try await stage.daemon.clock.advance(by: .seconds(45))
            let fault = try await late.value
            #expect(fault == .loadingInterrupted)
            try await stage.expect(nil, "block 1")
        }
    }

    // spec: CD-3
    @Test("CD-3: the delegate hears of a failure, and the last directory stays") func failure() async throws {
        try await Self.with { stage in
            _ = try await stage.reload("block 1 2")
            try await stage.expect(.entriesOutOfOrder, "block 4 3")
            try await eventually { try await stage.output().contains("failed entriesOutOfOrder 3") }
            let kept = try #require(await stage.telephone.directory(of: Self.directory))
            #expect(kept.blockedCount == 2 && kept[2]?.isBlocked == true)
            // Only one of them has failed.
            #expect(try await stage.output().components(separatedBy: "failed ").count == 2)
        }
    }

    // spec: CD-4
    @Test("CD-4: a load is incremental but for the first, and the one after a failure") func incremental() async throws
    {
        try await Self.with { stage in
            func isIncremental() async throws -> [Bool] {
                try await stage.output().split(separator: "\n").filter { $0.contains("incremental ") }
                    .map { $0.hasSuffix("true") }
            }
            _ = try await stage.reload("block 1 2;identify 1=a 2=b")
            let changed = try await stage.reload("unblock 1;block 3;forget 2;identify 1=c")
            #expect([1, 2, 3].filter { changed[$0]?.isBlocked == true } == [2, 3])
            #expect(changed[1]?.label == "c" && changed.identifiedCount == 1)
            try await stage.expect(.duplicateEntries, "block 4 4")
            let whole = try await stage.reload("block 9")
            #expect(whole.blockedCount == 1 && whole.identifiedCount == 0)
            let cleared = try await stage.reload("unblockAll;block 8 9")
            #expect(cleared.blockedCount == 2)
            try await eventually { try await isIncremental() == [false, true, true, false, true] }
        }
    }

    // spec: CD-5
    @Test("CD-5: entries travel in batches of 4,096, and none is lost") func batches() async throws {
        try await Self.with { stage in
            let directory = try await stage.reload("mix 50000")
            #expect(directory.blockedCount == 50_000 && directory.identifiedCount == 50_000)
            #expect(directory[49_999] == .init(isBlocked: true, label: "label 99"))
            let calls = try await stage.daemon.events().filter {
                $0.event == EventName.callStarted.rawValue && $0.detail?.hasPrefix("callDirectory.entries") == true
            }
            #expect(calls.count == 2 * ((50_000 + 4_095) / 4_096))
        }
    }

    // spec: CD-6
    @Test("CD-6: a number is looked up in the directories that are switched on") func lookup() async throws {
        try await Self.with { stage in
            _ = try await stage.reload("block 15;identify 16=Home")
            #expect(try await stage.telephone.lookup(15).isEmpty)
            try await stage.host.setConsent(CallDirectoryHost.consent, true, of: Self.directory)
            #expect(try await stage.telephone.lookup(15) == [Self.directory: .init(isBlocked: true, label: nil)])
            #expect(try await stage.telephone.lookup(16)[Self.directory]?.label == "Home")
            #expect(try await stage.telephone.lookup(17).isEmpty)
        }
    }

    // spec: CD-2, CD-3, PC-21
    // not simulated: N-163
    @Test("CD-2, CD-3: an app asks for a load and the state, and gets the errors") func anAppReloads() async throws {
        let own = try TestBundles.withNotebook()
        let strange = try TestBundles(application: "net.other.tests")
        try Self.add(to: own)
        try Self.add(to: strange, identifier: "net.other.tests.directory")
        func write(_ acts: String) throws {
            try Data(acts.utf8).write(to: URL(fileURLWithPath: own.path + "/Tests.app/PlugIns/directory.appex/act"))
        }
        try await withTestDaemon(applications: [own.path, strange.path]) { daemon in
            let host = try await daemon.host("telephone").application
            let telephone = CallDirectoryHost(host)
            let (app, control, output) = try await launch(own, daemon)
            func order(_ path: String, _ answer: String) async throws {
                let before = output.text
                _ = try await launch(own, daemon, for: .url("notebook://\(path)"))
                try await eventually { output.text.dropFirst(before.count).contains(answer) }
            }
            let domain = CallDirectoryFault.domain
            try await order("callreload/\(Self.directory)", "error serviceUnavailable\n")
            try await telephone.serve()
            try write("block 1 2")
            try await order("callstatus/\(Self.directory)", "status 1\n")
            try await order("callreload/\(Self.directory)", "error \(domain) 6\n")
            try await host.setConsent(CallDirectoryHost.consent, true, of: Self.directory)
            try await order("callstatus/\(Self.directory)", "status 2\n")
            try await order("callreload/\(Self.directory)", "loaded\n")
            #expect(await telephone.directory(of: Self.directory)?.blockedCount == 2)
            try write("block 4 3")
            try await order("callreload/\(Self.directory)", "error \(domain) 3\n")
            #expect(await telephone.directory(of: Self.directory)?.blockedCount == 2)
            for unknown in ["net.other.tests.directory", "org.example.missing"] {
                try await order("callreload/\(unknown)", "error \(domain) 1\n")
                try await order("callstatus/\(unknown)", "error \(domain) 1\n")
            }
            try await order("callsettings/x", "error notSimulated\n")
            withExtendedLifetime((app, control, telephone)) {}
        }
    }

    // spec: CD-6
    @Test("CD-6: a directory asks its telephone for a state during the load") func anExtensionAsks() async throws {
        try await Self.with { stage in
            try await stage.telephone.serve()
            try await stage.host.setConsent(CallDirectoryHost.consent, true, of: Self.directory)
            _ = try await stage.reload("status \(Self.directory)")
            try await eventually { try await stage.output().contains("status 2 no error") }
        }
    }
}
