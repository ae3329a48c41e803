// DeathCertificateTests: what is kept of the dead, how much of it, and which core is whose.

import ExtensionProtocol
import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@testable import ExtensionHostDaemon

@Suite struct DeathCertificateTests {
    private func certificate(_ number: Int, tail: Int = 0) -> DeathCertificate {
        let exit = ExitRecord(status: nil, signal: 6, cause: .crashed, peakMemory: nil, expired: false)
        return DeathCertificate(
            record: DeathRecord(
                extensionIdentifier: "e", pid: number, exit: exit, decidedBy: "system", requests: [], stderrTail: "",
                time: number
            ),
            tail: [UInt8](repeating: 0x61, count: tail), hasDumped: true, started: 0)
    }

    @Test func theOldestGoFirstAndTheirWordsBeforeThem() {
        var register = DeathRegister()
        for number in 1...300 { register.append(certificate(number, tail: 64 * 1024)) }
        #expect(register.certificates.map(\.record.pid) == Array(45...300))
        let kept = register.certificates.map(\.tail.count)
        #expect(kept.reduce(0, +) == DeathRegister.bytesKept)
        #expect(kept.suffix(64).allSatisfy { $0 == 64 * 1024 } && kept.prefix(192).allSatisfy { $0 == 0 })
    }

    @Test func aCoreIsNotedForItsProcessOnly() {
        var register = DeathRegister()
        for number in [7, 8] { register.append(certificate(number)) }
        register.note(coreDump: "core.x", pid: 7, time: 7)
        register.note(coreDump: "core.y", pid: 8, time: 7)
        #expect(register.certificates.map(\.record.exit.coreDump) == ["core.x", nil])
    }

    @Test func aRecordThatTravelsAloneFitsWhateverItsProcessSaid() throws {
        var broken = certificate(1)
        broken.tail = [UInt8](repeating: 0xff, count: 64 * 1024)
        #expect(try broken.alone.wire.encodeBinary().count < PacketLimits.body / 2)
    }

    @Test func coresAreFoundByTheNamesThatSystemdGivesThem() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-cores")
        defer { try? folder.remove() }
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8).filter(\.isHexDigit)
        let other = String(repeating: "0", count: 32)
        for name in [
            "core.share.1000.\(boot).42.1700000000000000.zst", "core.a.b.0.\(boot).43.1700000000000000",
            "core.old.0.\(other).44.1700000000000000.zst", "core.early.0.\(boot).45.1600000000000000.lz4",
            "core.short.0.\(boot)",
            "notes.0.\(boot).46.1700000000000000",
        ] {
            #expect(FileManager.default.createFile(atPath: folder.path + "/" + name, contents: nil))
        }
        let dumps = CoreDumps(folder: folder.path)
        #expect(dumps.name(pid: 42, since: 1_650_000_000_000_000) == "core.share.1000.\(boot).42.1700000000000000.zst")
        #expect(
            dumps.name(pid: 43, since: 0) == "core.a.b.0.\(boot).43.1700000000000000", "a program's name may hold dots")
        #expect(dumps.name(pid: 44, since: 0) == nil, "of another boot")
        #expect(dumps.name(pid: 45, since: 1_650_000_000_000_000) == nil, "of an earlier process of that number")
        #expect(dumps.name(pid: 46, since: 0) == nil && dumps.name(pid: 1000, since: 0) == nil)
        #expect(CoreDumps(folder: folder.path + "/none").name(pid: 42, since: 0) == nil)
    }
}
