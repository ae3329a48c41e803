// DeathCertificate: the record of a process that has ended, and the tail of its standard error, stored apart because it
// can be long.

import ExtensionHostModel
import ExtensionProtocol

/// An entry of `exits`.
struct DeathCertificate: Sendable {
    /// The record of the death, without the tail of standard error.
    var record: DeathRecord
    /// The tail of its standard error, at most 64 KiB.
    var tail: [UInt8]
    /// Whether the kernel said that it wrote a core. The core's file may not be on the disk yet.
    var hasDumped: Bool
    /// The time of its start, in microseconds since 1970; 0 where the clock is virtual, as cores have real dates.
    var started: Int
    /// The user of the process; nil in a user's daemon.
    var user: UInt32?

    /// The most bytes of standard error in a record that travels alone, in one packet beside others.
    ///
    /// Every byte of its text may take six bytes there (U+FFFD is two bytes a unit, once a byte).
    static let textLimit = 4 * 1024

    /// The record with the tail of standard error as text.
    var alone: DeathRecord {
        var record = record
        record.stderrTail = String(decoding: tail.suffix(Self.textLimit), as: UTF8.self)
        return record
    }
}

/// The certificates of the processes that have ended recently, bounded in number and in bytes of standard error.
struct DeathRegister: Sendable {
    static let deathsKept = 256
    /// The bytes of standard error of all certificates together.
    static let bytesKept = 4 * 1024 * 1024

    private(set) var certificates: [DeathCertificate] = []
    /// The last death that was not wished for.
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
        // The oldest certificates lose their tails before any certificate loses more.
        var index = 0
        while bytes > Self.bytesKept, index < certificates.count - 1 {
            bytes -= certificates[index].tail.count
            certificates[index].tail = []
            index += 1
        }
    }

    /// Records the core that was found for a process.
    mutating func note(coreDump: String, pid: Int, time: Int) {
        guard let index = certificates.lastIndex(where: { $0.record.pid == pid && $0.record.time == time }) else {
            return
        }
        certificates[index].record.exit.coreDump = coreDump
    }
}
