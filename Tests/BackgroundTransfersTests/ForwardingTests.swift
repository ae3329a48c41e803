// ForwardingTests: the events of FoundationNetworking's sessions reach the author's delegate.

import BackgroundTransfers
import Foundation
import Glibc
import LinuxSystem
import Locks
import Testing

/// A server on the loopback interface with fixed answers, for one request at a time.
private final class PlainServer: Sendable {
    let port: UInt16
    private let listening: Int32

    init() throws {
        let raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(raw, address, size) == 0, listen(raw, 16) == 0 else { return Int32(-1) }
                return getsockname(raw, address, &size)
            }
        }
        guard code == 0 else { throw SystemError("bind") }
        (listening, port) = (raw, UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while case let connection = accept(raw, nil, nil), connection >= 0 {
                Self.serve(connection)
                close(connection)
            }
            close(raw)
        }
    }

    /// Ends `accept`. The thread closes the descriptor: its number may not be another's while the thread accepts by it.
    func stop() { shutdown(listening, Int32(SHUT_RDWR)) }

    private static func serve(_ connection: Int32) {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        let answer =
            if text.hasPrefix("GET /moved") {
                "302 Found\r\nLocation: /page\r\nContent-Length: 0"
            } else if text.hasPrefix("GET /secret"), !text.contains("Authorization: Basic") {
                "401 Who\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0"
            } else {
                "200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4"
            }
        let body = answer.hasPrefix("200") ? "page" : ""
        let bytes = Array("HTTP/1.1 \(answer)\r\nConnection: close\r\n\r\n\(body)".utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

/// A delegate that notes which methods were called.
private final class Witness: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    private let seen = Mutex<[String]>([])
    private let ends: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    override init() { (ends, end) = AsyncStream.makeStream() }

    func atEnd() async -> [String] {
        for await _ in ends { break }
        return seen.withLock { seen in
            defer { seen = [] }
            return seen
        }
    }

    private func note(_ text: String) { seen.withLock { $0.append(text) } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        note("redirect \(response.statusCode)")
        completionHandler(request)
    }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note("challenge \(challenge.protectionSpace.realm ?? "")")
        completionHandler(.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
    }
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data \(String(decoding: data, as: UTF8.self))")
    }
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        note("file")
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note("completed \((error as NSError?)?.code ?? 0)")
        end.yield()
    }
}

@Suite struct ForwardingTests {
    @Test("BT-10: a session that is not in the background asks its delegate about redirects and challenges")
    func delegateMethods() async throws {
        let server = try PlainServer()
        defer { server.stop() }
        let witness = Witness()
        let session = URLSession(configuration: .default, delegate: witness, delegateQueue: nil)
        func events(_ path: String) async -> [String] {
            session.dataTask(with: URL(string: "http://127.0.0.1:\(server.port)\(path)")!).resume()
            return await witness.atEnd()
        }
        let moved = await events("/moved")
        #expect(moved.first == "redirect 302" && moved.contains("response 200"), "\(moved)")
        let secret = await events("/secret")
        #expect(secret.contains("challenge r") && secret.contains("data page"), "\(secret)")
        let page = await events("/page")
        #expect(page == ["response 200", "data page", "completed 0"], "\(page)")
        session.invalidateAndCancel()
    }
}
