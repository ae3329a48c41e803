// LyingServer: a server on the loopback interface that cuts, stalls, lies and changes its files.

import Dispatch
import Foundation
import Glibc
import LinuxSystem
import Locks

/// Serves the files of `TransferWorker`. The first requests of a file meet faults, which a seed decides; the later ones
/// are served as a server should.
public final class LyingServer: Sendable {
    private struct State {
        var requests: [Int: Int] = [:]
        var seed: UInt64
        /// The files with a lying 416, or with a length that makes the next 416 look like one. A second is the answer.
        var unsatisfied: Set<Int> = []
    }

    private enum Fault: Int, CaseIterable {
        case none, cut, stall, tooLong, wrongPlace, wrongTag, unsatisfied, unavailable, weakTag, ignoresRange, chunks
    }

    /// The port on the loopback interface.
    public let port: UInt16
    private let listening: Int32
    private let state: Mutex<State>
    private static let faults = 5

    /// Starts the server.
    public init(seed: UInt64) throws {
        state = Mutex(State(seed: seed))
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listening = listening
        let code = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listening, address, size) == 0, listen(listening, 64) == 0 else { return Int32(-1) }
                return getsockname(listening, address, &size)
            }
        }
        guard code == 0 else { throw SystemError("bind") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listening, nil, nil)
                guard connection >= 0 else { return }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { [self] in
                    serve(connection)
                    close(connection)
                }
            }
        }
    }

    /// Stops accepting connections.
    public func stop() {
        shutdown(listening, Int32(SHUT_RDWR))
        close(listening)
    }

    private func random(_ bound: Int) -> Int {
        state.withLock { state in
            state.seed = state.seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state.seed >> 33) % bound
        }
    }

    private func serve(_ connection: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1)
        // Byte by byte: a body that follows stays in the socket.
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = recv(connection, &buffer, 1, 0)
            guard count > 0, bytes.count < 1 << 16 else { return }
            bytes += buffer[..<count]
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
        func field(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name + ":") }.map {
                $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            }
        }
        let path = lines.first?.split(separator: " ").dropFirst().first ?? ""
        if path == "/count" {
            return count(connection, Int(field("content-length") ?? "") ?? 0, field("expect") != nil)
        }
        let length = Int(field("content-length") ?? "") ?? 0
        if path.hasPrefix("/see/") {
            // /see/STATUS/PLACE takes the body and leads to the place.
            let parts = path.dropFirst("/see/".count).split(separator: "/", maxSplits: 1)
            _ = sum(connection, length, field("expect") != nil)
            return send(connection, "HTTP/1.1 \(parts[0]) Go\r\nLocation: /\(parts[1])\r\nContent-Length: 0\r\n\r\n")
        }
        if path == "/method" {
            guard let sum = sum(connection, length, field("expect") != nil) else { return }
            let text = "\(lines[0].split(separator: " ")[0]) \(length) \(sum)"
            return send(connection, "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        }
        if path.hasPrefix("/headers/"), let count = Int(path.dropFirst("/headers/".count)) {
            let fields = (0..<count).map { "X-\($0): \(String(repeating: "a", count: 1_000))\r\n" }.joined()
            return send(connection, "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n")
        }
        if path.hasPrefix("/to/") {
            let place = path.dropFirst("/to/".count)
            return send(connection, "HTTP/1.1 302 Go\r\nLocation: \(place)\r\nContent-Length: 4\r\n\r\nGone")
        }
        guard let number = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0.dropFirst()) })
        else { return }
        let count = state.withLock { state in
            state.requests[number, default: 0] += 1
            return state.requests[number] ?? 0
        }
        // A third of the files change between the first requests and the later ones.
        let version = number % 3 == 0 && count > 2 ? 1 : 0
        var fault = count > Self.faults ? .none : Fault.allCases[random(Fault.allCases.count)]
        // Each costs the idle time of a second.
        if fault == .stall, number % 4 != 0 { fault = .cut }
        if fault == .tooLong, !state.withLock({ $0.unsatisfied.insert(number).inserted }) { fault = .none }
        let tag = field("if-range")
        let start = field("range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        answer(connection, number, version, fault, start: start, tag: tag)
    }

    /// Takes a body; returns the sum of its bytes.
    private func sum(_ connection: Int32, _ length: Int, _ isWaiting: Bool) -> Int? {
        if isWaiting { send(connection, "HTTP/1.1 100 Continue\r\n\r\n") }
        var (left, sum) = (length, 0)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while left > 0 {
            let count = recv(connection, &buffer, min(left, buffer.count), 0)
            guard count > 0 else { return nil }
            left -= count
            sum = buffer[..<count].reduce(sum) { $0 + Int($1) }
        }
        return sum
    }

    /// Answers an upload with the sum of its bytes.
    private func count(_ connection: Int32, _ length: Int, _ isWaiting: Bool) {
        guard let sum = sum(connection, length, isWaiting) else { return }
        let text = "\(length) \(sum)"
        send(connection, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(text.count)\r\n\r\n\(text)")
    }

    private func answer(
        _ connection: Int32, _ number: Int, _ version: Int, _ fault: Fault, start asked: Int, tag: String?
    ) {
        let file = workerFile(number, version: version)
        var own = "\"\(number)-\(version)\""
        let start = tag == own && fault != .ignoresRange ? asked : 0
        if fault == .wrongTag, start < file.count { own = "\"other\"" }
        if fault == .weakTag { own = "W/" + own }
        var head = "Connection: close\r\nETag: \(own)\r\n"
        if fault == .unavailable {
            send(connection, "HTTP/1.1 503 No\r\nRetry-After: 0\r\nContent-Length: 0\r\n\(head)\r\n")
            return
        }
        let isLying = start > 0 && fault == .unsatisfied && state.withLock { $0.unsatisfied.insert(number).inserted }
        if start > 0, start >= file.count || isLying {
            let total = isLying ? file.count + 7 : file.count
            send(connection, "HTTP/1.1 416 No\r\nContent-Range: bytes */\(total)\r\nContent-Length: 0\r\n\(head)\r\n")
            return
        }
        // A part from the wrong place has that place's bytes, so it would be seen in the file.
        let place = start > 0 && fault == .wrongPlace ? start - 1 : start
        let body = Array(file[place...])
        if start > 0 { head += "Content-Range: bytes \(place)-\(file.count - 1)/\(file.count)\r\n" }
        let length = fault == .tooLong ? body.count + 999 : body.count
        head += fault == .chunks ? "Transfer-Encoding: chunked\r\n" : "Content-Length: \(length)\r\n"
        send(connection, "HTTP/1.1 \(start > 0 ? "206 Part" : "200 OK")\r\n\(head)\r\n")
        let end = fault == .cut || fault == .stall ? random(body.count) : body.count
        for piece in stride(from: 0, to: end, by: 8192) {
            let bytes = Array(body[piece..<min(end, piece + 8192)])
            if fault == .chunks { send(connection, String(bytes.count, radix: 16) + "\r\n") }
            guard Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return }
            if fault == .chunks { send(connection, "\r\n") }
        }
        if fault == .chunks { send(connection, "0\r\n\r\n") }
        // Until the client gives up, or is killed.
        var byte: UInt8 = 0
        if fault == .stall { recv(connection, &byte, 1, 0) }
    }

    private func send(_ connection: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

/// The bytes of a file, as `TransferWorker` expects them.
public func workerFile(_ number: Int, version: Int) -> [UInt8] {
    let count = 20_000 + number * 7_919 % 60_000 + version * 501
    return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ version &* 97 &+ number) }
}
