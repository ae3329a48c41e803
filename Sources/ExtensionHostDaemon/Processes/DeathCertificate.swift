// DeathCertificate: what is kept of a process that has ended, with the end of its standard error, apart as it can be long.

import ExtensionHostModel
import ExtensionProtocol

/// One entry of `exits`.
struct DeathCertificate: Sendable {
    /// Without the end of standard error.
    var record: DeathRecord
    /// Of its standard error, at most 64 KiB.
    var tail: [UInt8]
    /// The kernel said that it wrote a core; its file may still be on its way to the disk.
    var hasDumped: Bool
    /// When it was started, in microseconds since 1970; 0 where the clock is virtual, as cores have real dates.
    var started: Int
    /// Whose it was; nil of a user's daemon.
    var user: UInt32?

    /// A record that travels alone, in one packet beside others: every byte of its text may take six there (U+FFFD is two bytes a unit,
    /// once a byte).
    static let textLimit = 4 * 1024

    /// With the last of standard error as text.
    var alone: DeathRecord {
        var record = record
        record.stderrTail = String(decoding: tail.suffix(Self.textLimit), as: UTF8.self)
        return record
    }
}

/// The recent dead, bounded in number and in what they wrote.
struct DeathRegister: Sendable {
    static let deathsKept = 256
    /// Bytes of standard error, of all together.
    static let bytesKept = 4 * 1024 * 1024

    private(set) var certificates: [DeathCertificate] = []
    /// The last that nobody had wished for.
    private(set) var last: (record: DeathRecord, why: ExtensionHostError, user: UInt32?)?
    private var bytes = 0

    mutating func append(_ certificate: DeathCertificate, why: ExtensionHostError) {
        if !certificate.record.exit.cause.isWishedFor { last = (certificate.alone, why, certificate.user) }
        append(certificate)
    }

    mutating func append(_ certificate: DeathCertificate) {
        if certificates.count == Self.deathsKept { bytes -= certificates.removeFirst().tail.count }
        certificates.append(certificate)
        bytes += certificate.tail.count
        // The oldest lose their words before anybody loses more.
        var index = 0
        while bytes > Self.bytesKept, index < certificates.count - 1 {
            bytes -= certificates[index].tail.count
            certificates[index].tail = []
            index += 1
        }
    }

    /// Notes the core that was found for a process.
    mutating func note(coreDump: String, pid: Int, time: Int) {
        guard let index = certificates.lastIndex(where: { $0.record.pid == pid && $0.record.time == time }) else { return }
        certificates[index].record.exit.coreDump = coreDump
    }
}
