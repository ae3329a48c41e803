// BusProbe: two questions to a message bus, by the D-Bus specification and without a library: tools do not link
// systemd's.

import Foundation
import Glibc

/// A connection to a bus. Each call waits up to 3 s for its answer.
struct BusProbe: ~Copyable {
    struct Failure: Error {
        let what: String
    }

    private static let patience = timeval(tv_sec: 3, tv_usec: 0)
    /// The largest accepted answer of a bus, far above the usual size.
    private static let answerLimit = 64 * 1024

    private let socket: Int32
    private var serial: UInt32 = 0

    /// Connects to the first address of a list that is a socket of this machine, and says hello.
    init(_ addresses: String) throws(Failure) {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failure(what: Self.lastError) }
        var limit = Self.patience
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        try connect(Self.address(addresses))
        // EXTERNAL: the kernel vouches for our identity (D-Bus specification, "Authentication Protocol").
        let identity = "\(geteuid())".utf8.map { String($0, radix: 16) }.joined()
        try write([0] + Array("AUTH EXTERNAL \(identity)\r\n".utf8))
        let answer = String(decoding: try readLine(), as: UTF8.self)
        guard answer.hasPrefix("OK ") else { throw Failure(what: "it refuses this user: \(answer.prefix(64))") }
        try write(Array("BEGIN\r\n".utf8))
        _ = try call("Hello", nil)
    }

    deinit { close(socket) }

    /// Returns the unique name of the owner of a name. Nil if the name has no owner.
    mutating func owner(of name: String) throws(Failure) -> String? {
        guard let answer = try call("GetNameOwner", name) else { return nil }
        return answer.string
    }

    /// Returns the process of a name. Nil if the bus does not know it.
    mutating func processIdentifier(of name: String) throws(Failure) -> Int? {
        try call("GetConnectionUnixProcessID", name)?.number
    }

    // MARK: Connecting

    /// Parses a list such as `unix:path=/run/user/1000/bus,guid=…;…`. Abstract addresses begin with a zero byte.
    private static func address(_ list: String) throws(Failure) -> [UInt8] {
        for one in list.split(separator: ";") where one.hasPrefix("unix:") {
            for entry in one.dropFirst(5).split(separator: ",") {
                let parts = entry.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let value = String(parts[1]).removingPercentEncoding else { continue }
                if parts[0] == "path" { return Array(value.utf8) + [0] }
                if parts[0] == "abstract" { return [0] + Array(value.utf8) }
            }
        }
        throw Failure(what: "it has an address of a kind that this check does not support")
    }

    private func connect(_ name: [UInt8]) throws(Failure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard name.count <= MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure(what: "its path is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let code = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(socket, $0, length) }
        }
        guard code == 0 else { throw Failure(what: Self.lastError) }
    }

    private static var lastError: String {
        errno == EAGAIN ? "no answer in \(patience.tv_sec) s" : String(cString: strerror(errno))
    }

    // MARK: Bytes

    private func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(what: Self.lastError) }
            rest = rest.dropFirst(count)
        }
    }

    private func read(_ count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes { recv(socket, $0.baseAddress! + filled, count - filled, 0) }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw Failure(what: got == 0 ? "it closed the connection" : Self.lastError) }
            filled += got
        }
        return bytes
    }

    private func readLine() throws(Failure) -> [UInt8] {
        var line: [UInt8] = []
        while line.count < 512 {
            let byte = try read(1)[0]
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
        throw Failure(what: "it does not speak D-Bus")
    }

    // MARK: Messages

    private struct Answer {
        var string: String?
        var number: Int?
    }

    /// Calls a method of the bus itself with one string, or nothing. Nil if the answer is an error.
    private mutating func call(_ member: String, _ argument: String?) throws(Failure) -> Answer? {
        serial += 1
        var body = BusBytes()
        if let argument { body.string(argument) }
        var message = BusBytes()
        // Little-endian, a method call, no flags, version 1 ("Message Format").
        message.bytes = [UInt8(ascii: "l"), 1, 0, 1]
        message.number(UInt32(body.bytes.count))
        message.number(serial)
        var fields = BusBytes()
        fields.field(1, "o", "/org/freedesktop/DBus")
        fields.field(2, "s", "org.freedesktop.DBus")
        fields.field(3, "s", member)
        fields.field(6, "s", "org.freedesktop.DBus")
        if argument != nil { fields.signature(8, "s") }
        message.number(UInt32(fields.bytes.count))
        // The fields begin at 16, so that their alignment is the same in both buffers.
        message.bytes += fields.bytes
        message.align(to: 8)
        try write(message.bytes + body.bytes)
        while true {
            let (kind, answered, signature, content) = try receive()
            // Signals, such as the one for an acquired name, may arrive in between.
            guard answered == serial else { continue }
            if kind == 3 { return nil }
            var reader = BusReader(content[...])
            return switch signature {
            case "s": Answer(string: reader.string())
            case "u": Answer(number: reader.number().map(Int.init))
            default: Answer()
            }
        }
    }

    private func receive() throws(Failure) -> (kind: UInt8, answered: UInt32?, signature: String, body: [UInt8]) {
        let strange = Failure(what: "it sent an invalid D-Bus message")
        let head = try read(16)
        guard head[0] == UInt8(ascii: "l") else { throw strange }
        var reader = BusReader(head[4...])
        guard let bodyLength = reader.number(), reader.number() != nil, let fieldsLength = reader.number(),
            bodyLength <= Self.answerLimit, fieldsLength <= Self.answerLimit
        else { throw strange }
        let fields = try read((Int(fieldsLength) + 7) / 8 * 8)
        let body = try read(Int(bodyLength))
        var answered: UInt32?
        var signature = ""
        var rest = BusReader(fields[..<Int(fieldsLength)])
        while !rest.isAtEnd {
            rest.align(to: 8)
            guard let code = rest.byte(), let type = rest.signature() else { throw strange }
            switch type {
            case "s", "o":
                guard rest.string() != nil else { throw strange }
            case "g":
                guard let text = rest.signature() else { throw strange }
                if code == 8 { signature = text }
            case "u":
                guard let number = rest.number() else { throw strange }
                if code == 5 { answered = number }
            default: throw strange
            }
        }
        return (head[1], answered, signature, body)
    }
}
