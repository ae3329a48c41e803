// JournalRecord: the bytes of a journal's entry, and the reading of a whole journal; pure. docs/protocol.schema has the
// form.

import ExtensionProtocol
import PropertyListCoding

/// The reason why a journal cannot be trusted.
struct JournalDamage: Error, Hashable, CustomStringConvertible {
    let offset: Int
    let why: String

    var description: String { "at byte \(offset): \(why)" }
}

extension JournalRecord {
    /// The bytes at the start of the file; the last byte is the number of the form.
    static let mark: [UInt8] = Array("EXTHKPT".utf8) + [1]
    /// The size of a record's head: length and checksum, four bytes each, in little-endian order.
    private static let headSize = 8
    /// The maximum bytes of a record. Records consist of names; longer names are not the daemon's.
    static let longest = 16 * 1024

    /// The record as the file has it: length, checksum, a property list.
    var bytes: [UInt8] {
        var writer = FieldWriter()
        encode(into: &writer)
        var body: [UInt8] = []
        // The encoding fails only for values that are nested too deep, and these are not.
        try? PropertyList.dictionary(writer.dictionary).encodeBinary(into: &body)
        return Self.littleEndian(UInt32(body.count)) + Self.littleEndian(Self.checksum(body[...])) + body
    }

    /// Returns the state that the records of a file describe.
    ///
    /// An incomplete last record is skipped: a daemon was killed while it wrote it, before it acted on it. Nothing else
    /// is skipped.
    static func read(_ file: [UInt8]) throws(JournalDamage) -> HandedState {
        guard file.count >= mark.count else {
            guard mark.starts(with: file) else { throw JournalDamage(offset: 0, why: "not a journal of this daemon") }
            return HandedState()
        }
        guard file.starts(with: mark) else { throw JournalDamage(offset: 0, why: "not a journal of this daemon") }
        var state = HandedState()
        var offset = mark.count
        while file.count - offset >= headSize {
            let length = Int(number(file, offset))
            guard length > 0, length <= longest else {
                throw JournalDamage(offset: offset, why: "a record of \(length) bytes")
            }
            let end = offset + headSize + length
            guard end <= file.count else { break }
            let body = file[(offset + headSize)..<end]
            guard checksum(body) == number(file, offset + 4) else {
                if end == file.count { break }
                throw JournalDamage(offset: offset, why: "a record with a wrong checksum")
            }
            do throws(JournalProblem) {
                try state.take(try JournalRecord(body))
            } catch {
                throw JournalDamage(offset: offset, why: error.why)
            }
            offset = end
        }
        return state
    }

    private init(_ body: ArraySlice<UInt8>) throws(JournalProblem) {
        do {
            let list = try body.withUnsafeBytes { try PropertyList(binary: $0, limits: .packet) }
            guard case .dictionary(let dictionary) = list else {
                throw JournalProblem("a record that is not a dictionary")
            }
            let fields = Fields(dictionary, of: .named("record"))
            let kind: String = try fields.value(.kind)
            guard Self.names.contains(kind) else { throw JournalProblem("a record of the kind “\(kind)”") }
            self = try JournalRecord(fields)
        } catch let problem as JournalProblem {
            throw problem
        } catch {
            throw JournalProblem("\(error)")
        }
    }

    /// Returns the FNV-1a checksum, which finds accidents.
    ///
    /// An attacker who can write to the file can write a right checksum, too, but needs this daemon's user for that.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
    }
}

/// The error in one record.
struct JournalProblem: Error {
    let why: String
    init(_ why: String) { self.why = why }
}
