// DoctorTests: `exthostctl doctor` on sound and on broken installations, with a daemon and without.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct DoctorTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    // MARK: Codes

    /// Every code is in the page once, and the page has no other; the source is read, as a program cannot be imported.
    @Test func thePageNamesEveryCheckAndNoOther() throws {
        let source = try TestBundles.source("Sources/exthostctl/Doctor/DoctorCheck.swift")
        let codes = source.split(separator: "\n").filter { $0.hasPrefix("    case ") }
            .flatMap {
                $0.dropFirst("    case ".count).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            }
        let page = try TestBundles.source("docs/doctor.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows.allSatisfy { $0.count == 4 && $0.allSatisfy { !$0.isEmpty } })
        #expect(rows.map { $0[0] }.sorted() == codes.map { "`\($0)`" }.sorted())
        #expect(codes.count > 20)
    }

    // MARK: Without a daemon

    @Test func withoutADaemonItLooksAtWhatOneWouldFind() async throws {
        try installation.addPuppet()
        let report = try await installation.doctor()
        let daemon = try report.only("daemon")
        #expect(daemon.status == "warning" && daemon.found.contains(installation.socket))
        for code in [
            "daemonProgram", "initProgram", "runtimeFolder", "temporaryFolder", "temporaryLeftovers", "stateSpace",
            "bundles",
            "identifiers", "watching", "processStart", "sealedMemory", "clock",
        ] {
            let finding = try report.only(code)
            #expect(finding.status == "ok", "\(finding)")
        }
        #expect(try report.only("bundles").found.hasPrefix("1 can be used"))
        #expect(
            try report.only("applicationFolders").found.hasPrefix("\(installation.applications): 1 bundle good, 0 bad"))
        #expect(try report.only("bus").found.contains("no-bus"))
        #expect(report["stateDatabase"].isEmpty && report["daemonVersion"].isEmpty && report["socket"].isEmpty)
        // Nothing was made: neither the state's folder nor a temporary one.
        #expect(!FileManager.default.fileExists(atPath: installation.state + "/exthost"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: installation.temporary).isEmpty)
    }

    @Test(
        .enabled(if: getenv("EXTHOST_SANITIZER") == nil, "exthost-pagehost does not run under a sanitizer"))
    func theEnginesForPagesAreTried() async throws {
        let finding = try await installation.doctor().only("pageEngines")
        #expect(finding.status == "ok" && finding.found.contains("jsc (JavaScriptCore 4.1, domino "), "\(finding)")
        let environment = installation.environment.merging(["EXTHOST_PAGEHOST": "/nowhere/exthost-pagehost"]) { $1 }
        let other = try await installation.report(
            of: try Program.control(["doctor", "--json"], environment: environment)
        ).only("pageEngines")
        #expect(other.status == "warning" && other.found.contains("/nowhere/exthost-pagehost"), "\(other)")
        #expect(other.remedy?.contains("EXTHOST_PAGEHOST") == true, "\(other)")
    }

    @Test func aDaemonThatWasNamedHasToBeThere() async throws {
        let report = try await installation.doctor(socket: installation.runtime + "/none.sock")
        #expect(report.status == 1)
        #expect(try report.only("daemon").status == "problem")
        let named = try await installation.doctor(["--socket", installation.runtime + "/none.sock"])
        #expect(try named.only("daemon").found.contains("none.sock"))
    }

    @Test func withoutAnExtensionItSaysWhereToPutOne() async throws {
        let bundles = try await installation.doctor().only("bundles")
        #expect(bundles.status == "warning" && bundles.remedy?.contains("EXTHOST_APPLICATIONS") == true)
    }

    // MARK: With a daemon

    @Test func aSoundDaemonIsLookedAtByWhatItSaysOfItself() async throws {
        try installation.addPuppet()
        let daemon = try await installation.daemon()
        let control = try await DaemonControl.connect(name: "test", to: DaemonAddress(path: installation.socket))
        // The watch begins after the daemon has begun to serve.
        try await eventually { try await control.status().watching == "inotify" }
        let report = try await installation.doctor()
        for code in [
            "daemon", "daemonVersion", "socket", "stateFolder", "stateDatabase", "stateLeftovers", "applicationFolders",
            "bundles",
            "watching", "treeKill", "descriptors", "bus", "clock",
        ] {
            let finding = try report.only(code)
            #expect(finding.status == "ok", "\(finding)")
        }
        #expect(report.status == 0)
        #expect(try report.only("daemon").found.contains("pid \(try await control.status().pid)"))
        #expect(try report.only("stateDatabase").found.contains("in use by the daemon"))
        #expect(try report.only("watching").found.contains("inotify"))
        #expect(try report.only("socket").found.hasSuffix("mode 0600"))
        #expect(try report.only("descriptors").found.hasPrefix("the daemon has "))
        // For people: the same in lines, what is well left out with -q.
        let lines = try await Program.control(["doctor"], environment: installation.environment).ending()
        #expect(lines.status == 0 && lines.output.contains("ok       daemon  "))
        #expect(lines.errors.hasPrefix("exthostctl: 0 problems, "))
        let quiet = try await Program.control(["-q", "doctor"], environment: installation.environment).ending()
        #expect(!quiet.output.contains("ok  ") && quiet.errors.isEmpty)
        try daemon.end()
        #expect(try await daemon.ending().status == 0)
    }

    @Test func badBundlesAndCopiesAreNamed() async throws {
        try installation.addPuppet(as: "One")
        try installation.addPuppet(as: "Two")
        try installation.addPuppet(as: "Bad")
        let bad = installation.applications + "/Bad.app/PlugIns/puppet.appex"
        try FileManager.default.removeItem(atPath: bad + "/puppet")
        // The same by a daemon as by looking through the folders.
        for isServed in [false, true] {
            let daemon = isServed ? try await installation.daemon() : nil
            let report = try await installation.doctor()
            #expect(try report.only("daemon").status == (isServed ? "ok" : "warning"))
            let bundles = try report.only("bundles")
            #expect(bundles.status == "warning" && bundles.found.hasPrefix("2 can be used, 1 has faults: \(bad)"))
            #expect(bundles.remedy?.contains("exthostctl lint \(bad)") == true)
            #expect(try report.only("applicationFolders").found.contains("2 bundles good, 1 bad"))
            let copies = try report.only("identifiers")
            #expect(copies.status == "warning" && copies.found.contains(puppet))
            #expect(copies.remedy?.contains("exthostctl which \(puppet)") == true)
            try daemon?.end()
            _ = try await daemon?.ending()
        }
    }

    @Test func aPrivateBusIsReachedAndTheNameIsTheDaemons() async throws {
        try await withTestDaemon(applications: [installation.applications], arguments: ["--bus", "private"]) { daemon in
            let control = daemon.control
            try await eventually { try await control.status().bus != nil }
            // The name comes a moment after the bus.
            try await eventually { [installation] in
                let bus = try await installation.doctor(socket: daemon.address.path).only("bus")
                return bus.status == "ok" && bus.found.contains("the daemon has the name")
            }
        }
    }

    /// A socket that a killed daemon left, where nobody answers.
    @Test func aSocketWithoutADaemonIsAProblem() async throws {
        let daemon = try await installation.daemon()
        try daemon.kill()
        _ = try await daemon.ending()
        let report = try await installation.doctor()
        let finding = try report.only("daemon")
        #expect(finding.status == "problem" && finding.found.contains("the socket exists"))
        #expect(try report.only("socket").status == "ok")
        // What its kill left in the log is read with the file.
        #expect(try report.only("stateDatabase").found.contains("no faults"))
    }

    // MARK: State

    @Test func whatADaemonLeftIsSound() async throws {
        try installation.addPuppet()
        for byKill in [false, true] {
            try await installation.leaveState(byKill: byKill)
            let before = try Data(contentsOf: URL(fileURLWithPath: installation.database))
            let database = try await installation.doctor().only("stateDatabase")
            #expect(database.status == "ok")
            #expect(database.found.contains("layout 3, 1 bundles, 1 elections"), "\(database.found)")
            // It was looked at in a copy.
            #expect(try Data(contentsOf: URL(fileURLWithPath: installation.database)) == before)
        }
    }

    @Test(arguments: ["damaged", "newer", "strange", "folder", "aside", "held"])
    func aBrokenStateIsAProblemWithItsRemedy(how: String) async throws {
        try installation.addPuppet()
        try await installation.leaveState()
        var holder: Program?
        var code = "stateDatabase"
        let says: String
        switch how {
        case "damaged":
            try await change("PRAGMA wal_checkpoint(TRUNCATE)")
            // Behind the header, so that it is a database still.
            var data = try Data(contentsOf: URL(fileURLWithPath: installation.database))
            try #require(data.count > 8192)
            data.replaceSubrange(4096..<data.count, with: Data(repeating: 0xAA, count: data.count - 4096))
            try data.write(to: URL(fileURLWithPath: installation.database))
            says = "damaged"
        case "newer":
            try await change("PRAGMA user_version = 99")
            says = "newer daemon: its layout is 99"
        case "strange":
            try await change("PRAGMA user_version = 0")
            says = "another program"
        case "folder":
            try FileManager.default.removeItem(atPath: installation.state + "/exthost")
            try Data("x".utf8).write(to: URL(fileURLWithPath: installation.state + "/exthost"))
            code = "stateFolder"
            says = "a part of the path is not a folder"
        case "aside":
            try Data("x".utf8).write(to: URL(fileURLWithPath: installation.database + ".damaged-1"))
            code = "stateLeftovers"
            says = "1 damaged file renamed"
        default:
            // Another runtime folder: not the daemon that is meant.
            let elsewhere = installation.temporary
            holder = try await Program.daemon(in: elsewhere, state: installation.state, [])
            says = "is not the checked daemon"
        }
        let finding = try await installation.doctor().only(code)
        #expect(
            finding.status == (how == "aside" ? "warning" : "problem") && finding.found.contains(says), "\(finding)")
        // The daemon says the same of its own, if it comes to that.
        if how == "newer" {
            let daemon = try await installation.daemon()
            let folder = try await installation.doctor().only("stateFolder")
            #expect(folder.status == "problem" && folder.found.contains("not kept"))
            try daemon.end()
            _ = try await daemon.ending()
        }
        try holder?.end()
        _ = try await holder?.ending()
    }

    /// By SQLite itself: much of the database may be in its log.
    private func change(_ statement: String) async throws {
        let script =
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit(); c.close()"
        let ending = try await Program.run(
            "/usr/bin/env", ["python3", "-c", script, installation.database, statement], socket: ""
        )
        .ending()
        try #require(ending.status == 0, "\(ending.errors)")
    }

    // MARK: Folders

    @Test func foldersThatOthersMayWriteAreProblems() async throws {
        for (folder, code) in [
            (installation.runtime, "runtimeFolder"), (installation.temporary, "temporaryFolder"),
            (installation.applications, "applicationFolders"),
        ] {
            #expect(chmod(folder, 0o777) == 0)
            let finding = try await installation.doctor().only(code)
            #expect(finding.status == "problem" && finding.remedy?.contains("chmod") == true)
            #expect(chmod(folder, 0o700) == 0)
            #expect(try await installation.doctor().only(code).status == "ok")
        }
        // The sticky bit keeps others from what is not theirs.
        #expect(chmod(installation.temporary, 0o1777) == 0)
        #expect(try await installation.doctor().only("temporaryFolder").status == "ok")
    }

    @Test func aFolderThatIsNoneIsAProblem() async throws {
        try FileManager.default.removeItem(atPath: installation.applications)
        #expect(
            try await installation.doctor().only("applicationFolders").found.hasSuffix(
                "the daemon detects it when it appears"))
        try Data("x".utf8).write(to: URL(fileURLWithPath: installation.applications))
        #expect(try await installation.doctor().only("applicationFolders").status == "problem")
    }

    @Test func onlyWhatNobodyUsesIsLeftOver() async throws {
        func make(_ name: String) throws -> String {
            let path = installation.temporary + "/" + name
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            return path
        }
        func age(_ path: String) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
        }
        let left = try make("exthostd-left")
        let locked = try make("exthost-items-used")
        let served = try make("exthostd-used")
        _ = try make("exthostd-young")
        let socket = try Socket.listen(at: served + "/host.sock")
        let lock = SharedDescriptor(try openDirectory(locked))
        #expect(try lockFile(lock.raw, exclusive: false))
        for path in [left, locked, served] { try age(path) }
        let finding = try await installation.doctor().only("temporaryLeftovers")
        #expect(finding.status == "warning" && finding.found.hasPrefix("1 folder "), "\(finding)")
        #expect(finding.remedy == "rm -r \(left)")
        withExtendedLifetime(lock) {}
        _ = socket.raw
    }
}
