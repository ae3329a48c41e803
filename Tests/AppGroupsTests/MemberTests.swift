// MemberTests: processes of one group, and what is left when they are killed.

import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@testable import AppGroups

@Suite struct MemberTests {
    // spec: P-544
    @Test func aValueSetInOneProcessIsReadInAnotherAtOnce() async throws {
        let folder = try GroupFolder()
        let (first, second) = (try Member(folder), try Member(folder))
        #expect(first.line() == "ready")
        #expect(second.line() == "ready")
        for number in 0..<200 {
            #expect(first.ask("set key \(number)") == "done")
            #expect(second.ask("get key") == "\(number)")
            #expect(second.ask("set key -\(number)") == "done")
            #expect(first.ask("get key") == "-\(number)")
            await Task.yield()
        }
        #expect(first.ask("container") == folder.container)
    }

    // spec: P-545
    @Test func aProcessHearsOfAnothersChange() throws {
        let folder = try GroupFolder()
        let (first, second) = (try Member(folder), try Member(folder))
        #expect(first.line() == "ready")
        #expect(second.line() == "ready")
        for number in 0..<10 {
            #expect(first.ask("news") == "listening")
            #expect(second.ask("set key \(number)") == "done")
            #expect(first.line() == "heard")
            #expect(first.ask("get key") == "\(number)")
        }
    }

    // spec: P-547
    @Test func aProcessWithoutTheGroupSharesNothing() throws {
        let folder = try GroupFolder()
        let member = try Member(folder)
        #expect(member.line() == "ready" && member.ask("set shared 1") == "done")
        let other = try Member(folder, groups: "group.org.example.other")
        #expect(other.line() == "ready" && other.ask("get shared") == "nothing")
        #expect(other.ask("container") == "nothing")
    }

    /// Foundation's own defaults serve other names, as before.
    @Test func defaultsOfAGroupOfTheMacAreShared() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try GroupFolder()
            let group = "A1B2C3D4E5.org.example"
            setenv("EXTHOST_APP_GROUPS", group, 1)
            setenv("EXTHOST_GROUP_CONTAINERS", folder.path, 1)
            setenv("HOME", folder.path, 1)
            #expect(UserDefaults(suiteName: group) is SharedDefaults)
            #expect(!(UserDefaults(suiteName: "org.example") is SharedDefaults))
            let notHeld = UserDefaults(suiteName: "group.org.example")
            #expect(notHeld != nil && !(notHeld is SharedDefaults))
            withExtendedLifetime(folder) {}
        }
    }

    // not simulated: N-043
    @Test func furtherSuitesAreToldOnceAProcess() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let folder = try GroupFolder()
            setenv("EXTHOST_APP_GROUPS", GroupFolder.name, 1)
            setenv("EXTHOST_GROUP_CONTAINERS", folder.path, 1)
            let defaults = try #require(UserDefaults(suiteName: GroupFolder.name))
            for number in 0..<3 { defaults.addSuite(named: "org.example.\(number)") }
            withExtendedLifetime(folder) {}
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        #expect(
            lines.filter { $0.hasPrefix("exthost: ") }.count == 1 && lines.contains { $0.hasSuffix("N-043)") },
            "\(lines)")
    }

    /// Two writers, each killed at a moment nobody chose, again and again, beside a reader.
    // spec: P-548
    @Test func killedAtAnyMomentNothingIsLostOrTorn() async throws {
        let folder = try GroupFolder()
        let reader = try folder.defaults()
        let rounds = ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] == nil ? 30 : 400
        var acknowledged: [String: Int] = ["a": -1, "b": -1]
        var (sets, torn) = (0, 0)
        for _ in 0..<rounds {
            var members: [(name: String, member: Member)] = []
            for name in ["a", "b"] {
                let member = try Member(folder)
                #expect(member.line() == "ready")
                member.tell("hammer \(name) \((acknowledged[name] ?? 0) + 1) 20000")
                members.append((name, member))
            }
            let wait = Int.random(in: 0..<20)
            for _ in 0..<wait {
                // What it has told of is set; the data of one byte is whole.
                if let number = members[0].member.line().flatMap({ Int($0) }) { acknowledged["a"] = number }
                if let data = reader.data(forKey: "blob"), data.count != 20000 || Set(data).count != 1 { torn += 1 }
            }
            for (_, member) in members.shuffled() { try member.signal(SIGKILL) }
            for (name, member) in members {
                while let number = member.line().flatMap({ Int($0) }) { acknowledged[name] = number }
            }
            await Task.yield()
        }
        var lost = 0
        for (name, last) in acknowledged {
            sets += last + 1
            for number in 0...max(last, 0)
            where last >= 0 && reader.object(forKey: "\(name)-\(number)") as? Int != number {
                lost += 1
            }
        }
        #expect(lost == 0)
        #expect(torn == 0)
        #expect(sets > rounds)
        let names = try listDirectory(folder.preferences, maximumCount: 1000)
        #expect(!names.contains { $0.contains("damaged") })
        print(
            "shared defaults: \(sets) sets acknowledged by \(2 * rounds) killed processes, \(lost) lost, \(torn) torn")
    }

    /// A writer killed before and after each call that it makes on a file.
    // spec: P-548
    @Test(arguments: [10, 200_000]) func killedAtEachStepEitherStateIsThere(_ size: Int) async throws {
        struct Round: Decodable {
            var what: String
            var call: Int
            var when: String
            var hit: String?
            var wrong: [String]
        }
        let folder = try GroupFolder()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/Python/groupsteps.py").path
        let driver = try await Program.ending(
            of: "/usr/bin/python3", ["-B", script, Member.program, folder.path, "\(size)"])
        #expect(driver.status == 0, "\(driver.errors)")
        var hits: [String: Int] = [:]
        for line in driver.output.split(separator: "\n") {
            let round = try JSONDecoder().decode(Round.self, from: Data(line.utf8))
            #expect(round.wrong.isEmpty, "\(line)")
            if let hit = round.hit { hits[hit, default: 0] += 1 }
        }
        for call in ["openat", "pwrite", "renameat", "fcntl"] { #expect(hits[call, default: 0] > 3, "\(hits)") }
        print("shared defaults of \(size) bytes: killed at \(hits.values.reduce(0, +)) places, \(hits)")
    }
}
