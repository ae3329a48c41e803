// JournalRecord: the bytes of an entry of the journal, and the reading of a whole journal; pure. Its form is in docs/protocol.schema.

import ExtensionProtocol
import PropertyListCoding

/// Why a journal cannot be believed.
struct JournalDamage: Error, Hashable, CustomStringConvertible {
    let offset: Int
    let why: String

    var description: String { "at byte \(offset): \(why)" }
}

extension JournalRecord {
    /// At the start of the file; the last byte is the form's number.
    static let mark: [UInt8] = Array("EXTHKPT".utf8) + [1]
    /// Length and checksum, four bytes each, least byte first.
    private static let headSize = 8
    /// A record names things; whoever has longer names is not ours.
    static let longest = 16 * 1024

    /// As it stands in the file: length, checksum, a property list.
    var bytes: [UInt8] {
        var writer = FieldWriter()
        encode(into: &writer)
        var body: [UInt8] = []
        // Fails for what is nested too deep only, and nothing here is.
        try? PropertyList.dictionary(writer.dictionary).encodeBinary(into: &body)
        return Self.littleEndian(UInt32(body.count)) + Self.littleEndian(Self.checksum(body[...])) + body
    }

    /// What the records of a file come to.
    ///
    /// A last record that is not whole is that of a daemon that was killed as it wrote it, before it acted on it: it is passed over. Nothing else is.
    static func read(_ file: [UInt8]) throws(JournalDamage) -> HandedState {
        guard file.count >= mark.count else {
            guard mark.starts(with: file) else { throw JournalDamage(offset: 0, why: "no journal of this daemon's") }
            return HandedState()
        }
        guard file.starts(with: mark) else { throw JournalDamage(offset: 0, why: "no journal of this daemon's") }
        var state = HandedState()
        var offset = mark.count
        while file.count - offset >= headSize {
            let length = Int(number(file, offset))
            guard length > 0, length <= longest else { throw JournalDamage(offset: offset, why: "a record of \(length) bytes") }
            let end = offset + headSize + length
            guard end <= file.count else { break }
            let body = file[(offset + headSize)..<end]
            guard checksum(body) == number(file, offset + 4) else {
                if end == file.count { break }
                throw JournalDamage(offset: offset, why: "a record that is not as it was written")
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
            guard case .dictionary(let dictionary) = list else { throw JournalProblem("a record that is no dictionary") }
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

    /// FNV-1a: it finds accidents. Whoever can write to the file could write a right one, too, and needs this daemon's user for it.
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

/// What is wrong with one record.
struct JournalProblem: Error {
    let why: String
    init(_ why: String) { self.why = why }
}
