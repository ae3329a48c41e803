// BenchTests: `exthostctl bench`: what is measured of which kinds of extensions, and what is said of it. No figure of
// time is judged.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct BenchTests {
    private static let id = "org.exthost.tests.own"

    /// A folder for what the verb makes while it runs, which is to be empty afterwards.
    private final class Run {
        let bundles: TestBundles
        let temporary: TemporaryDirectory
        /// Milliseconds for three daemons, eight launches and eighty requests.
        private static let patience: Int32 = 150_000

        init(_ bundles: TestBundles) throws {
            self.bundles = bundles
            temporary = try TemporaryDirectory(prefix: "exthost-bench-test")
        }

        deinit { try? temporary.remove() }

        func callAsFunction(_ arguments: [String], program: String? = nil) async throws -> Program.Ending {
            let environment = ["EXTHOST_APPLICATIONS": bundles.path, "TMPDIR": temporary.path, "NO_COLOR": "1"]
            guard let program else {
                return try await Program.control(
                    ["bench", "--count", "3"] + arguments, socket: "/nonexistent/host.sock", environment: environment
                ).ending(within: Self.patience)
            }
            return try await Program.run(
                program, ["bench", "--count", "3"] + arguments, socket: "/nonexistent/host.sock",
                environment: environment.merging(["EXTHOSTD": SampleApplications.buildFolder + "/exthostd"]) { $1 }
            ).ending(within: Self.patience)
        }

        func json(_ arguments: [String]) async throws -> [String: Any] {
            let ending = try await self(arguments + ["--json"])
            #expect(ending.status == 0, "\(ending)")
            return try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any] ?? [:]
        }

        var left: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: temporary.path) } }
    }

    private func run(point: String = "com.apple.share-services") throws -> Run {
        let bundles = try TestBundles()
        try bundles.add(
            "own", program: SampleApplications.buildFolder + "/Trial", point: point, principalClass: "Trial.GoodLink")
        return try Run(bundles)
    }

    private func count(_ cost: [String: Any]?, _ name: String) -> Int {
        (cost?[name] as? [String: Any])?["count"] as? Int ?? 0
    }

    @Test func launchesRequestsAndMemoryAreMeasuredBesideTheSample() async throws {
        let run = try run()
        let report = try await run.json([Self.id])
        #expect(
            report["isSample"] as? Bool == true && report["launches"] as? Int == 3 && report["requests"] as? Int == 30)
        let (yours, beside) = (report["yours"] as? [String: Any], report["beside"] as? [String: Any])
        #expect(yours?["extension"] as? String == Self.id)
        for cost in [yours, beside] {
            #expect(cost?["ending"] as? String == "completed")
            for name in ["launch", "answer", "gone"] { #expect(count(cost, name) == 3, "\(name)") }
            #expect(count(cost, "warm") == 30)
            let memory = try #require(cost?["memory"] as? [String: Int])
            let (own, share, all) = (memory["own"] ?? 0, memory["proportional"] ?? 0, memory["resident"] ?? 0)
            #expect(0 < own && own <= share && share <= all, "\(memory)")
            #expect((cost?["peakMemory"] as? Int ?? 0) > 1 << 20)
            #expect((cost?["libraries"] as? [String])?.contains { $0.hasPrefix("libc.so") } == true)
            let answer = try #require(cost?["answer"] as? [String: Any])
            #expect(answer["least"] as? Double ?? 1 <= answer["median"] as? Double ?? 0)
        }
        #expect((report["remarks"] as? [String])?.isEmpty == false)
        #expect(try run.left == [])
    }

    @Test func peopleGetATableAndWhereTheDifferenceLies() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "own",
            script: """
                #!/usr/bin/env python3
                import exthost
                kept = bytearray(b"x") * (64 << 20)
                exthost.run(lambda context: context.complete([]))

                """, beside: ["exthost.py": try TestBundles.source("Sources/Samples/Python/exthost.py")])
        let run = try Run(bundles)
        let ending = try await run([Self.id])
        #expect(ending.status == 0, "\(ending)")
        let lines = ending.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("\(Self.id): 3 launches and 30 requests") == true)
        #expect(lines.dropFirst().first?.split(separator: " ") == ["YOURS", "SAMPLE", "RATIO"])
        for row in ["launch: start to hello", "cold: begin to gone", "warm: begin to answer", "idle memory: own (USS)"]
        {
            #expect(
                lines.contains { $0.hasPrefix(row) && $0.split(separator: " ").last.flatMap { Double($0) } != nil },
                "\(row)")
        }
        let found = ending.output.firstMatch(of: /When idle, it has ([0-9.]+) MiB more of its own/)
        let more = try #require(found?.1, "\(ending.output)")
        #expect((32.0...96).contains(Double(more) ?? 0), "\(ending.output)")
        #expect(ending.output.contains("yours a script"), "\(ending.output)")
    }

    @Test func anInterfaceIsMeasuredToItsFirstView() async throws {
        let run = try Run(try TestBundles())
        let report = try await run.json(["org.exthost.samples.reading.save", "--applications", try samples()])
        let yours = report["yours"] as? [String: Any]
        #expect(yours?["ending"] as? String == "view" && count(yours, "answer") == 3 && count(yours, "warm") == 30)
        #expect((report["beside"] as? [String: Any])?["ending"] as? String == "completed")
        #expect((report["remarks"] as? [String])?.contains { $0.contains("shows a view") } == true)
        #expect(try run.left == [])
    }

    @Test func whereAProcessServesOneRequestThereIsNoWarmOne() async throws {
        let run = try run(point: "com.apple.app.non-ui-extension")
        let report = try await run.json([Self.id])
        for name in ["yours", "beside"] {
            let cost = report[name] as? [String: Any]
            #expect(cost?["warm"] is NSNull && count(cost, "gone") == 3, "\(name)")
            #expect(((cost?["memory"] as? [String: Int])?["own"] ?? 0) > 0, "\(name)")
        }
        #expect((report["remarks"] as? [String])?.contains { $0.contains("process for each request") } == true)
    }

    @Test func anotherExtensionCanBeComparedWith() async throws {
        let run = try run()
        try run.bundles.add(
            "before", program: SampleApplications.buildFolder + "/Trial", principalClass: "Trial.KeepsState")
        let report = try await run.json([Self.id, "--beside", "org.exthost.tests.before"])
        #expect(report["isSample"] as? Bool == false)
        #expect((report["beside"] as? [String: Any])?["extension"] as? String == "org.exthost.tests.before")
        let same = try await run([Self.id, "--beside", Self.id])
        #expect(same.status == 64 && same.errors.contains("can register only one extension"), "\(same)")
    }

    @Test func withoutTheSampleItsLackIsSaid() async throws {
        let run = try run()
        let elsewhere = try TemporaryDirectory(prefix: "exthost-bench-elsewhere")
        defer { try? elsewhere.remove() }
        let program = elsewhere.path + "/exthostctl"
        try FileManager.default.copyItem(atPath: SampleApplications.buildFolder + "/exthostctl", toPath: program)
        try waitForWriters(of: program)
        let ending = try await run([Self.id], program: program)
        #expect(ending.status == 0 && ending.output.contains("There is no sample to compare with"), "\(ending)")
    }

    @Test(arguments: [
        ("Trial.ExitsInstead", [], 11, "interrupted (exitedEarly)"),
        ("Trial.NeverCompletes", ["--limit", "200ms"], 12, "Raise --limit"),
        ("Trial.GoodLink", ["--text", "no link"], 13, "--force"),
        ("Trial.GoodLink", ["--count", "0"], 64, "--count takes a number"),
        ("Trial.GoodLink", ["--socket", "/s"], 64, "its own daemon"),
        ("Trial.GoodLink", ["--applications", "/nonexistent"], 66, "there is no folder"),
    ])
    func whatCannotBeMeasuredIsToldByItsOutcome(
        principalClass: String, arguments: [String], status: Int32, words: String
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "own", program: SampleApplications.buildFolder + "/Trial", principalClass: principalClass,
            rule: ["NSExtensionActivationSupportsWebURLWithMaxCount": 1])
        let run = try Run(bundles)
        let ending = try await run([Self.id] + arguments)
        #expect(ending.status == status && ending.errors.contains(words) && ending.output.isEmpty, "\(ending)")
        #expect(try run.left == [])
    }
}
