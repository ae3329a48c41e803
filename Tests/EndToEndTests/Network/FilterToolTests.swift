// FilterToolTests: `exthostctl run` of a network filter, with a flow and with a command.

import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct FilterToolTests {
    private func run(_ arguments: String...) async throws -> Program.Ending {
        let filter = try samples() + "/Samples.app/PlugIns/ListFilter.appex"
        return try await Program.control(["run", filter, "--ephemeral"] + arguments).ending()
    }

    // spec: NX-24, PC-23
    @Test("NX-24, PC-23: run shows the verdict about a flow, and the bytes that pass") func flows() async throws {
        let plain = try await run()
        #expect(plain.status == 0 && plain.output.hasPrefix("allowed: http://example.org/"), "\(plain)")
        let dropped = try await run("--flow", "tcp:www.ads.example:443")
        #expect(dropped.status == 0 && dropped.output.hasPrefix("dropped: tcp:www.ads.example:443"), "\(dropped)")
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let path = folder.path + "/page"
        try Data((String(repeating: "a", count: 100) + "X-Malware-Sample").utf8).write(to: URL(fileURLWithPath: path))
        let bad = try await run("--flow", "http://news.example/", "--inbound", path, "--json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(bad.output.utf8)) as? [String: Any])
        #expect(document["verdict"] as? String == "dropped")
        #expect((document["inbound"] as? [String: Any])?["passed"] as? Int == 0)
        try Data(repeating: 0, count: 200_000).write(to: URL(fileURLWithPath: path))
        let good = try await run("--flow", "http://news.example/", "--inbound", path)
        #expect(good.status == 0 && good.output.contains("200000 of 200000 bytes passed"), "\(good)")
    }

    @Test func faultyOptionsAreTold() async throws {
        for arguments in [["--flow", "nothing"], ["--flow", "tcp:host"], ["--flow", "http://a/", "--", "true"]] {
            let filter = try samples() + "/Samples.app/PlugIns/ListFilter.appex"
            let ending = try await Program.control(["run", filter, "--ephemeral"] + arguments).ending()
            #expect(ending.status == 64, "\(ending)")
        }
        let share = try await Program.control(
            ["run", try samples() + "/Samples.app/PlugIns/ShareLink.appex", "--ephemeral", "--fail-open"]
        ).ending()
        #expect(share.status == 64 && share.errors.contains("--fail-open is for extensions of"), "\(share)")
    }

    /// Serves `/good` and `/bad` on a free port of loopback, as long as its standard input is open.
    private static let server = """
        import http.server, sys, threading
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self):
                body = b"a good page" if self.path == "/good" else b"X-Malware-Sample"
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// Fetches a URL by the proxy of `http_proxy`, by SOCKS5, or without a proxy.
    private static let client = """
        import os, socket, struct, sys, urllib.request
        way, url = sys.argv[1:]
        host, port = url.split("/")[2].split(":")
        if way == "http":
            try: print(urllib.request.urlopen(url).read())
            except Exception as error: print(type(error).__name__, getattr(error, "code", ""))
            sys.exit(0)
        if way == "socks":
            place = os.environ["ALL_PROXY"].split("//")[1].split(":")
            s = socket.create_connection((place[0], int(place[1])))
            s.sendall(b"\\5\\1\\0\\5\\1\\0\\3" + bytes([len(host)]) + host.encode() + struct.pack(">H", int(port)))
            print(s.recv(2), s.recv(10)[:2])
        else:
            try: s = socket.create_connection((host, int(port)))
            except OSError as error: sys.exit(print(error.strerror))
        s.sendall(("GET /" + url.split("/", 3)[3] + " HTTP/1.0\\r\\n\\r\\n").encode())
        print(s.makefile("rb").read().split(b"\\r\\n\\r\\n")[-1])
        """

    // spec: NX-31, NX-34
    @Test("NX-31: a command's connections are flows, through SOCKS5 and HTTP, and nothing leaves past them")
    func commands() async throws {
        let server = try Program("/usr/bin/env", ["python3", "-c", Self.server])
        var lines = server.lines.makeAsyncIterator()
        let port = try #require(await lines.next())
        func fetch(_ way: String, _ path: String, host: String = "127.0.0.1") async throws -> Program.Ending {
            try await run("--", "python3", "-c", Self.client, way, "http://\(host):\(port)/\(path)")
        }
        let good = try await fetch("http", "good")
        #expect(good.status == 0 && good.output.contains("b'a good page'"), "\(good)")
        #expect(good.output.contains("1 flow, 0 dropped"))
        #expect(good.errors.contains("allowed http://127.0.0.1:\(port)/good"), "\(good)")
        let bad = try await fetch("http", "bad")
        #expect(bad.output.contains("1 flow, 1 dropped") && !bad.output.contains("Malware"), "\(bad)")
        let refused = try await fetch("http", "good", host: "ads.example")
        #expect(refused.output.contains("HTTPError 403"), "\(refused)")
        let socks = try await fetch("socks", "good")
        #expect(socks.output.contains("b'a good page'"), "\(socks)")
        #expect(socks.errors.contains("tcp:127.0.0.1:\(port)"))
        let past = try await fetch("past", "good")
        #expect(past.output.contains("refused") && past.output.contains("0 flows"), "\(past)")
        let failed = try await run("--", "sh", "-c", "exit 7")
        #expect(failed.status == 7, "\(failed)")
        try server.kill()
        _ = try await server.ending()
    }

    // spec: PC-27, NX-34
    @Test("PC-27: a scenario asks a filter about flows, and expects its verdicts") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try Data("a fine page".utf8).write(to: URL(fileURLWithPath: folder.path + "/fine"))
        try Data("a page with X-Malware-Sample".utf8).write(to: URL(fileURLWithPath: folder.path + "/bad"))
        let file = folder.path + "/filter.scenario"
        func outcome(_ text: String) async throws -> Program.Ending {
            try Data("extension org.exthost.samples.list-filter\n\(text)".utf8).write(to: URL(fileURLWithPath: file))
            return try await Program.control(["test", file, "--applications", try samples()]).ending()
        }
        let good = try await outcome(
            """
            test "the list decides"
              flow http://ads.example/banner
              expect result dropped
              flow tcp:example.org:443 inbound fine
              expect result allowed
              expect shown inbound.passed = 11
              flow http://example.org/page inbound bad
              expect result dropped
              expect shown inbound.passed = 0
              expect shown flow = "http://example.org/page"
            """)
        #expect(good.status == 0, "\(good)")
        let asked = try await outcome(
            """
            test "the control provider decides about open hosts"
              flow http://new.example/ control org.exthost.samples.list-keeper
              expect result allowed
              flow http://unknown.example/
              expect result dropped
            """)
        #expect(asked.status == 0, "\(asked)")
        let wrong = try await outcome("test \"it is allowed\"\n  flow http://ads.example/\n  expect result allowed")
        #expect(wrong.status != 0 && wrong.output.contains("dropped"), "\(wrong)")
        let none = try await outcome("test \"no port\"\n  flow tcp:example.org\n  expect result allowed")
        #expect(none.status != 0 && (none.output + none.errors).contains("has no host and port"), "\(none)")
    }
}
