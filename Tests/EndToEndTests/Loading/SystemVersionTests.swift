// SystemVersionTests: the system's version of a profile, and the bundles that it disables.

import ExtensionHostTesting
import ExtensionPoints
import ExtensionProtocol
import Foundation
import Glibc
import TestPrograms
import Testing

@Suite struct SystemVersionTests {
    private static let newest = PlatformProfile.all.compactMap(\.version).max {
        $0.compare($1, options: .numeric) == .orderedAscending
    }

    // spec: CL-1
    // not simulated: N-095
    @Test(
        "CL-1: UIDevice has the profile's version, without one the newest, and ProcessInfo the kernel's",
        arguments: [nil, "strict", "ios-7", "ios-8", "ios-12", "ipados-26"])
    func systemVersion(profile: String?) async throws {
        let stage = try LoadingStage()
        let options = profile.map { ["--profile", $0] } ?? []
        try await withTestDaemon(applications: [stage.bundles.path], arguments: options) { daemon in
            let said = try await stage.confined(daemon, ["version"])
            let version = profile.flatMap(PlatformProfile.named)?.version ?? Self.newest
            #expect(said["system"] == version && version != nil)
            var names = utsname()
            uname(&names)
            let release = withUnsafeBytes(of: &names.release) { String(decoding: $0, as: UTF8.self) }
            #expect(said["kernel"].map { release.hasPrefix($0 + ".") } == true, "\(said)")
        }
    }

    @Test("CL-1: the profiles go from ios-7 to ipados-26, each with a version that its name begins")
    func profilesHaveVersions() {
        let names = PlatformProfile.all.map(\.name)
        #expect(Set(["ios-7", "ios-8", "ios-12", "ios-18", "ios-26", "ipados-26"]).isSubset(of: names))
        for profile in PlatformProfile.all where profile.name != "strict" {
            let number = profile.name.split(separator: "-").last ?? ""
            #expect(profile.version?.hasPrefix("\(number).") == true, "\(profile.name)")
        }
    }

    // spec: CL-2
    @Test("CL-2: below 8.0 no extension is offered, begin is refused by the profile's name, and the app runs")
    func noExtensions() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addProgram("notes", script: "#!/bin/sh\necho the app runs\n")
        for (profile, isOffered) in [("ios-7", false), ("ios-8", true)] {
            try await withTestDaemon(applications: [bundles.path], arguments: ["--profile", profile]) { daemon in
                let host = try await daemon.host("notes")
                let offered = try await host.application.extensions(accepting: [.text("x")]).map(\.identifier)
                #expect(offered == (isOffered ? [puppet] : []))
                let request = try await host.begin(puppet, items: [order("nothing")])
                #expect(await request.outcome.cause == (isOffered ? .completed : .bundleDisabled))
                let why = await request.explanation
                #expect(why?.message.contains("profile ios-7") == (isOffered ? nil : true), "\(why as Any)")
                let app = try await control(["app", bundles.app], daemon)
                #expect(app.status == 0 && app.output == "the app runs\n", "\(app)")
                // Nor does a registration for one connection help.
                let run = try await control(
                    ["run", bundles.path + "/Tests.app/PlugIns/puppet.appex", "--title", "nothing"], daemon)
                #expect((run.status == 0) == isOffered, "\(run)")
                #expect(isOffered || (run.output + run.errors).contains("profile ios-7"), "\(run)")
            }
        }
    }

    // spec: CL-3
    @Test("CL-3: a MinimumOSVersion above the profile's version disables that copy by name, and another is used")
    func minimumVersion() async throws {
        let bundles = try TestBundles.withPuppet()
        let other = try TestBundles.withPuppet()
        let file = bundles.path + "/Tests.app/PlugIns/puppet.appex/Info.plist"
        var information = try #require(
            PropertyListSerialization.propertyList(
                from: try Data(contentsOf: URL(fileURLWithPath: file)), format: nil) as? [String: Any])
        (information["MinimumOSVersion"], information["CFBundleVersion"]) = ("15.0", "2")
        try bundles.write(information, to: file)
        let folders = [bundles.path, other.path]
        // The newer copy needs the newer system.
        for (profile, used) in [("ios-12", other.path), ("ios-15", bundles.path)] {
            try await withTestDaemon(applications: folders, arguments: ["--profile", profile]) { daemon in
                let list = try await jsonList(["list", "-A", "-D"], daemon)
                let problems = list.filter { ($0["path"] as? String)?.hasPrefix(used) != true }
                    .flatMap { $0["problems"] as? [String] ?? [] }.joined()
                #expect(problems.contains("MinimumOSVersion is 15.0") == (profile == "ios-12"), "\(list)")
                #expect(problems.contains("profile ios-12 has 12.") == (profile == "ios-12"), "\(list)")
                let shown = try await daemon.control.show(puppet)
                #expect(shown.record.path.hasPrefix(used), "\(shown)")
            }
        }
        // With no other copy, begin says so.
        try await withTestDaemon(applications: [bundles.path], arguments: ["--profile", "ios-12"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("nothing")])
            #expect(await request.outcome.cause == .bundleDisabled)
            let why = await request.explanation
            #expect(why?.code == .bundleDisabled && why?.message.contains("profile ios-12") == true, "\(why as Any)")
        }
        // Without a profile nothing is too new.
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            #expect(await (try await host.begin(puppet, items: [order("nothing")])).outcome.kind == .completed)
        }
    }

    // spec: CL-2, CL-3
    @Test("CL-2, CL-3: a profile that is read again decides about installed and registered extensions")
    func theProfileChanges() async throws {
        let (bundles, own) = (try TestBundles.withPuppet(), try TestBundles())
        try own.add("own", identifier: "org.exthost.tests.own", program: SampleApplications.buildFolder + "/Puppet")
        let path = bundles.path + "/settings.plist"
        try bundles.write(["Profile": "ios-7"], to: path)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--config", path]) { daemon in
            let host = try await daemon.host("notes")
            let registered = try await host.application.register(path: own.app + "/PlugIns/own.appex")
            func offered() async throws -> Set<String> {
                Set(try await host.application.extensions(accepting: [.text("x")]).map(\.identifier))
            }
            #expect(try await offered().isEmpty)
            for (profile, isOffered) in [("ios-8", true), ("ios-7", false)] {
                try bundles.write(["Profile": profile], to: path)
                kill(pid_t(daemon.processIdentifier), SIGHUP)
                try await eventually { try await offered() == (isOffered ? [puppet, registered] : []) }
            }
            let request = try await host.begin(registered, items: [order("nothing")])
            #expect(await request.outcome.cause == .bundleDisabled)
        }
    }

    private func jsonList(_ arguments: [String], _ daemon: TestDaemon) async throws -> [[String: Any]] {
        let ending = try await control(arguments + ["--json"], daemon)
        return try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]] ?? []
    }
}
