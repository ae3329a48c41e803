// RequestBench: cold and warm requests of 1 KB through host kit, daemon and extension, or large values; prints `name value unit` lines.

import ExtensionHostTesting
import Foundation

/// Usage: `RequestBench ECHO_EXTENSION NAME [ROUNDS]`, or `RequestBench ECHO_EXTENSION NAME WAY MEBIBYTES [ROUNDS]`.
@main
struct RequestBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: RequestBench ECHO_EXTENSION NAME [ROUNDS | WAY MEBIBYTES [ROUNDS]]")
            print("ways: \(BulkBench.Way.allCases.map(\.rawValue).joined(separator: ", "))")
            exit(64)
        }
        let (program, name) = (arguments[1], arguments[2])
        if arguments.count > 4, let way = BulkBench.Way(rawValue: arguments[3]), let mebibytes = Int(arguments[4]) {
            return try await bulk(program, name, way, mebibytes, arguments.count > 5 ? Int(arguments[5]) ?? 12 : 12)
        }
        let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 100 : 100
        let applications = try BenchApplications(program: program)
        defer { applications.remove() }
        try await withTestDaemon(applications: [applications.path]) { daemon in
            let host = try await daemon.host("bench")
            try await cold(host, name, rounds)
            try await warm(host, name, rounds * 20)
        }
    }

    private static func bulk(_ program: String, _ name: String, _ way: BulkBench.Way, _ mebibytes: Int, _ rounds: Int)
        async throws
    {
        let applications = try BenchApplications(program: program)
        defer { applications.remove() }
        let bench = try BulkBench(way: way, mebibytes: mebibytes, folder: applications.path)
        try await withTestDaemon(applications: [applications.path], arguments: ["--timer", "load=120s"]) { daemon in
            let host = try await daemon.host("bench")
            try await bench.run(daemon, host, name: name, rounds: rounds)
        }
    }

    private static func cold(_ host: FakeHost, _ name: String, _ rounds: Int) async throws {
        var result: [Double] = []
        var gone: [Double] = []
        for round in 0..<(rounds + 3) {
            let start = ContinuousClock.now
            let request = try await host.begin("org.exthost.bench.cold", items: [item])
            let outcome = await request.outcome
            let answered = ContinuousClock.now - start
            guard case .completed = outcome, await request.exit != nil else { throw BenchFailure(outcome: "\(outcome)") }
            let ended = ContinuousClock.now - start
            guard round >= 3 else { continue }
            result.append(answered.microseconds)
            gone.append(ended.microseconds)
        }
        report("\(name).cold.result", result)
        report("\(name).cold.gone", gone)
    }

    private static func warm(_ host: FakeHost, _ name: String, _ rounds: Int) async throws {
        var times: [Double] = []
        for round in 0..<(rounds + 200) {
            let start = ContinuousClock.now
            let request = try await host.begin("org.exthost.bench.warm", items: [item])
            let outcome = await request.outcome
            guard case .completed = outcome else { throw BenchFailure(outcome: "\(outcome)") }
            if round >= 200 { times.append((ContinuousClock.now - start).microseconds) }
        }
        report("\(name).warm", times)
    }

    /// About 1 KB on the wire.
    private static var item: NSExtensionItem {
        let item = NSExtensionItem()
        item.userInfo = ["text": String(repeating: "a kilobyte of text ", count: 48), "number": 42, "flag": true]
        return item
    }

    private static func report(_ name: String, _ values: [Double]) {
        let sorted = values.sorted()
        func at(_ share: Double) -> String {
            String(format: "%.1f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))])
        }
        print("\(name).min \(at(0)) us\n\(name).p50 \(at(0.5)) us\n\(name).p99 \(at(0.99)) us")
    }
}

struct BenchFailure: Error { let outcome: String }

extension Duration {
    var microseconds: Double { Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12 }
}

/// The echo extension twice: with a process for each request, and with one for all.
struct BenchApplications {
    let path: String

    init(program: String) throws {
        path = NSTemporaryDirectory() + "/exthost-bench-\(getpid())"
        for (name, point) in [("cold", "com.apple.app.non-ui-extension"), ("warm", "com.apple.share-services")] {
            let bundle = "\(path)/Bench.app/PlugIns/\(name).appex"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: program, toPath: "\(bundle)/echo")
            let information = """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.exthost.bench.\(name)</string>
                <key>CFBundleExecutable</key><string>echo</string><key>NSExtension</key><dict>
                <key>NSExtensionPointIdentifier</key><string>\(point)</string>
                <key>NSExtensionPrincipalClass</key><string>EchoExtension.EchoExtension</string>
                <key>NSExtensionAttributes</key><dict><key>NSExtensionActivationRule</key><string>TRUEPREDICATE</string></dict>
                </dict></dict></plist>
                """
            try Data(information.utf8).write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
