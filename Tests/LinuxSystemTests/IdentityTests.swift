// Programs of another user: whose ids they have, what of root's rights is left to them, and which step failed.

import Foundation
import Glibc
import LinuxSystem
import Locks
import Testing

/// A user without an account, whose processes nobody else starts.
private let stranger = UserIdentity(uid: 65_533, gid: 65_532, groups: [65_530, 65_531, 65_530, 65_532])

@Suite(.enabled(if: geteuid() == 0, "only root may start other users' programs")) struct IdentityTests {
    private func attributes(_ kind: EnclosureKind, _ script: String, confined: Bool) -> SpawnAttributes {
        var attributes = shell(script)
        attributes.workingDirectory = "/"
        attributes.enclosure = kind.enclosure(initProgram)
        attributes.identity = stranger
        if confined {
            let layers = ConfinementProbe(
                initProgram: initProgram,
                wanted: ConfinementLayers(namespaces: kind == .namespace, landlock: .max, seccomp: true)
            ).found
            attributes.confinement = Confinement(layers: layers)
        }
        return attributes
    }

    private static let both = [false, true]

    @Test(arguments: EnclosureKind.allCases, both)
    func aProgramHasItsUsersIdsAndNoOthers(_ kind: EnclosureKind, _ confined: Bool) throws {
        let (output, ending) = try run(
            attributes(
                kind,
                "while read name rest; do case $name in Uid:|Gid:|Groups:) echo $rest;; esac; done < /proc/self/status",
                confined: confined))
        #expect(ending.status == .exited(0))
        let lines = output.split(separator: "\n").map {
            $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
        }
        #expect(
            lines == [Array(repeating: "65533", count: 4), Array(repeating: "65532", count: 4), ["65530", "65531"]])
    }

    @Test(arguments: EnclosureKind.allCases, both)
    func nothingOfRootsRightsIsLeft(_ kind: EnclosureKind, _ confined: Bool) throws {
        let (output, _) = try run(
            attributes(
                kind,
                """
                while read name rest; do
                case $name in CapInh:|CapPrm:|CapEff:|CapAmb:\(confined ? "|CapBnd:" : "")) echo $rest;; esac
                done < /proc/self/status
                """, confined: confined))
        let sets = confined ? 5 : 4
        #expect(output.split(separator: "\n").map(String.init) == Array(repeating: "0000000000000000", count: sets))
    }

    @Test(arguments: EnclosureKind.allCases)
    func aFileOfRootsIsClosedToIt(_ kind: EnclosureKind) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-identity")
        defer { try? folder.remove() }
        chmod(folder.path, 0o700)
        let (_, ending) = try run(attributes(kind, "cd \(folder.path)", confined: false))
        #expect(ending.status != .exited(0))
    }

    @Test(arguments: EnclosureKind.allCases, both)
    func itsTreeIsKilledAndReaped(_ kind: EnclosureKind, _ confined: Bool) throws {
        try start(attributes(kind, "sleep 1000 & echo up; wait", confined: confined)) { (process, socket) throws in
            #expect(try line(from: socket) == "up")
            #expect(try process.signalTree(SIGKILL))
            #expect(try output(of: socket) == "")
        }
    }

    /// The parent-death signal is taken away by a change of the user, and set anew.
    @Test(arguments: EnclosureKind.allCases, both)
    func itEndsWithTheThreadThatStartedIt(_ kind: EnclosureKind, _ confined: Bool) throws {
        let attributes = attributes(kind, "echo up; exec sleep 1000", confined: confined)
        // A noncopyable value cannot leave the thread's closure; its parts can.
        let known = Mutex<(pid: Int32, pidfd: Int32, enclosure: SpawnedProcess.Enclosure, report: SharedDescriptor?)?>(
            nil)
        onShortLivedThread {
            do {
                let pair = try SocketPair()
                let ours = pair.first
                let process = try spawn(attributes, giving: pair.second, as: 1)
                known.withLock { $0 = (process.pid, dup(process.pidfd.raw), process.enclosure, process.report) }
                #expect(try line(from: ours) == "up")
            } catch { Issue.record(error) }
        }
        let parts = try #require(known.withLock { $0 })
        let process = SpawnedProcess(
            pid: parts.pid, pidfd: OwnedDescriptor(owning: parts.pidfd), enclosure: parts.enclosure,
            report: parts.report)
        #expect(try ending(of: process).status != .exited(127))
    }

    @Test func theWayToConfineIsTriedAsThatUser() {
        let own = ConfinementProbe(initProgram: initProgram)
        let other = ConfinementProbe(initProgram: initProgram, as: stranger)
        #expect(other.found == own.found, "\(other.problems)")
    }

    /// As its owner it would have every right over the namespace, over the init in it, and over what that guards
    /// (user_namespaces(7)).
    @Test func theUserHasNoRightsOverItsNamespace() throws {
        try start(attributes(.namespace, "echo up; exec sleep 1000", confined: true)) { (process, socket) throws in
            #expect(try line(from: socket) == "up")
            var other = shell("nsenter --user --target \(process.pid) true")
            other.enclosure = .guardian(program: initProgram)
            other.identity = stranger
            #expect(try run(other).ending.status != .exited(0))
        }
    }

    @Test func anotherUserTakesAnInit() throws {
        var attributes = shell("true")
        attributes.identity = stranger
        #expect(throws: SpawnError.self) { _ = try spawn(attributes) }
    }

    @Test func rootIsNoOtherUser() throws {
        var attributes = shell("true")
        attributes.enclosure = .guardian(program: initProgram)
        attributes.identity = UserIdentity(uid: 0, gid: 0)
        #expect(try run(attributes).ending.status == .notStarted(SystemError("setresuid", code: EINVAL)))
    }

    /// An ordinary user's daemon cannot become another user, and says at which step.
    @Test func whoMayNotIsToldTheStep() async throws {
        let (directory, program) = try reachableInit()
        await #expect(processExitsWith: .success) { [program = program as String] in
            try becomeOrdinaryUser()
            var attributes = shell("true")
            attributes.identity = UserIdentity(uid: 65_533, gid: 65_533)
            attributes.enclosure = .processNamespace(initProgram: program)
            do {
                _ = try run(attributes)
                Issue.record("another user's program was started")
            } catch let error as SpawnError {
                if case .failed(step: .identity, _) = error {} else { Issue.record(error) }
            }
            attributes.enclosure = .guardian(program: program)
            #expect(try run(attributes).ending.status == .notStarted(SystemError("setgroups", code: EPERM)))
        }
        try directory.remove()
    }
}
