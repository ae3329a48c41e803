// CurlEngineTests: libcurl as the engine, before a server on the loopback interface.

import ExtensionPointKit
import Foundation
import LinuxSystem
import LyingServer
import Testing
import TransferMessages

@testable import TransferService

@Suite struct CurlEngineTests {
    /// Performs tasks with the real engine; returns their ends in the order of their numbers.
    private func perform(_ calls: [(inout AddTransferTask) -> Void], address: (LyingServer) -> [String])
        throws -> [(TransferCompletion, [UInt8]?)]
    {
        let server = try LyingServer(seed: 1)
        defer { server.stop() }
        let fixture = try ServiceFixture()
        let clock = SystemTransferClock()
        let container = fixture.container
        let service = try TransferService(
            folder: fixture.folder, container: { _ in container }, clock: clock, engine: try CurlEngine(clock: clock),
            output: fixture.output)
        func call<Message: PointMessage>(_ message: Message) throws -> Message.Reply {
            var reply: EncodedValue?
            service.call(Message.name, try PointEncoder.encode(message), from: fixture.share) { reply = try? $0.get() }
            return try PointDecoder.decode(Message.Reply.self, from: try #require(reply))
        }
        _ = try call(OpenTransferSession(TransferConfiguration(identifier: "s", container: ServiceFixture.group)))
        for (change, url) in zip(calls, address(server)) {
            var message = AddTransferTask(session: "s", kind: .download, request: TransferRequest(url: url))
            change(&message)
            let task = try #require(try call(message).task)
            _ = try call(ResumeTransferTask(session: "s", task: task))
        }
        let loop = TransferLoop(service, clock: clock)
        var others: [pollfd] = []
        while try fixture.output.events(TransferCompletion.self).count < calls.count { loop.turn(&others) }
        return try fixture.output.events(TransferCompletion.self).sorted { $0.task < $1.task }
            .map { ($0, fixture.contents($0.file)) }
    }

    // spec: BT-10
    @Test("BT-10: redirects are followed, but to no other scheme, and not for ever")
    func redirects() throws {
        let ends = try perform([{ _ in }, { _ in }, { _ in }]) { server in
            let root = "http://127.0.0.1:\(server.port)"
            return ["\(root)/to//to//to//count", "\(root)/to/ftp://127.0.0.1/a", "\(root)/to/file:///etc/passwd"]
        }
        #expect(ends[0].0.fault == nil && ends[0].0.response?.url.hasSuffix("/count") == true)
        #expect(ends[0].1 == Array("0 0".utf8))
        #expect(ends[1].0.fault?.code == -1002 && ends[1].1 == nil)
        #expect(ends[2].0.fault?.code == -1002 && ends[2].1 == nil)
    }

    // spec: BT-10
    @Test("BT-10: a 303, and a 301 or 302 of POST, lead to a GET without the body; 307 sends method and body again")
    func redirectedBodies() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-upload")
        defer { try? folder.remove() }
        let body = folder.path + "/body"
        try Data(repeating: 3, count: 5).write(to: URL(fileURLWithPath: body))
        let rows: [(method: String, status: Int, answer: String)] = [
            ("POST", 303, "GET 0 0"), ("PUT", 303, "GET 0 0"), ("PATCH", 303, "GET 0 0"), ("POST", 301, "GET 0 0"),
            ("POST", 302, "GET 0 0"), ("PUT", 302, "PUT 5 15"), ("POST", 307, "POST 5 15"),
            ("PATCH", 308, "PATCH 5 15"),
        ]
        let ends = try perform(
            rows.map { row in
                { message in
                    (message.kind, message.request.method) = (.upload, row.method)
                    message.file = try? PointFile(readingAt: body)
                }
            },
            address: { server in rows.map { "http://127.0.0.1:\(server.port)/see/\($0.status)/method" } })
        for (row, end) in zip(rows, ends) {
            #expect(end.0.fault == nil)
            #expect(String(decoding: end.0.body ?? [], as: UTF8.self) == row.answer, "\(row.method) \(row.status)")
        }
        // The same for a download whose method is not GET.
        let downloads = try perform([{ $0.request.method = "POST" }, { $0.request.method = "HEAD" }]) { server in
            [302, 303].map { "http://127.0.0.1:\(server.port)/see/\($0)/method" }
        }
        #expect(downloads[0].1 == Array("GET 0 0".utf8))
        #expect(downloads[1].0.fault == nil && downloads[1].1 == [])
    }

    @Test func anAnswerWithTooManyHeaderFieldsIsAFinalError() throws {
        let ends = try perform([{ _ in }, { _ in }, { _ in }]) { server in
            [10, 70, 400].map { "http://127.0.0.1:\(server.port)/headers/\($0)" }
        }
        #expect(ends[0].0.fault == nil && ends[0].0.response?.headers.count == 11)
        for end in ends[1...] {
            #expect(end.0.fault?.code == -1103, "\(String(describing: end.0.fault))")
            #expect(end.0.fault?.message.contains("header fields") == true)
        }
    }

    @Test func uploadsAreSentWholeFromTheirFile() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-upload")
        defer { try? folder.remove() }
        // Above 1 MiB libcurl waits for `100 Continue`.
        let sizes = [0, 5, 3_000_000]
        let ends = try perform(
            sizes.map { size in
                { message in
                    let path = "\(folder.path)/\(size)"
                    _ = FileManager.default.createFile(atPath: path, contents: Data(repeating: 3, count: size))
                    (message.kind, message.request.method) = (.upload, "POST")
                    message.file = try? PointFile(readingAt: path)
                }
            }, address: { server in sizes.map { _ in "http://127.0.0.1:\(server.port)/count" } })
        for (size, end) in zip(sizes, ends) {
            #expect(end.0.fault == nil && end.0.bytes == size)
            #expect(end.0.body == Array("\(size) \(size * 3)".utf8))
        }
    }
}
