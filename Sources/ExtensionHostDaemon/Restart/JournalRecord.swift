// JournalRecord: one entry of the journal, its bytes, and the reading of a whole journal; pure.

import ExtensionProtocol
import PropertyListCoding

/// A change that is written down before it is acted on.
enum JournalRecord: Sendable, Hashable {
    /// The highest numbers of processes and requests that were given.
    case numbers(process: Int, request: Int)
    /// It is there, or is otherwise than before.
    case process(KeptProcess)
    case processEnded(Int)
    /// It has had a request of this host's, which hears of its end.
    case served(Int, host: String)
    case host(KeptHost)
    case hostGone(String)
    case request(KeptRequest)
    /// Its host has the end of it.
    case requestClosed(RequestIdentifier)
}

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
    static func read(_ file: [UInt8]) throws(JournalDamage) -> KeptState {
        guard file.count >= mark.count else {
            guard mark.starts(with: file) else { throw JournalDamage(offset: 0, why: "no journal of this daemon's") }
            return KeptState()
        }
        guard file.starts(with: mark) else { throw JournalDamage(offset: 0, why: "no journal of this daemon's") }
        var state = KeptState()
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
            self =
                switch try fields.value(.kind, as: String.self) {
                case "numbers": .numbers(process: try fields.value(.process), request: try fields.value(.number))
                case "process": .process(try KeptProcess(fields))
                case "processEnded": .processEnded(try fields.value(.process))
                case "served": .served(try fields.value(.process), host: try fields.value(.host))
                case "host": .host(try KeptHost(fields))
                case "hostGone": .hostGone(try fields.value(.host))
                case "request": .request(try KeptRequest(fields))
                case "requestClosed": .requestClosed(try fields.value(.request))
                case let other: throw JournalProblem("a record of the kind “\(other)”")
                }
        } catch let problem as JournalProblem {
            throw problem
        } catch {
            throw JournalProblem("\(error)")
        }
    }

    private func encode(into fields: inout FieldWriter) {
        switch self {
        case .numbers(let process, let request):
            fields.set(.kind, "numbers")
            fields.set(.process, process)
            fields.set(.number, request)
        case .process(let process):
            fields.set(.kind, "process")
            process.encode(into: &fields)
        case .processEnded(let number):
            fields.set(.kind, "processEnded")
            fields.set(.process, number)
        case .served(let number, let host):
            fields.set(.kind, "served")
            fields.set(.process, number)
            fields.set(.host, host)
        case .host(let host):
            fields.set(.kind, "host")
            host.encode(into: &fields)
        case .hostGone(let name):
            fields.set(.kind, "hostGone")
            fields.set(.host, name)
        case .request(let request):
            fields.set(.kind, "request")
            request.encode(into: &fields)
        case .requestClosed(let request):
            fields.set(.kind, "requestClosed")
            fields.set(.request, request)
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
