// InstructionCountTests: nothing that is done again and again becomes much longer by accident. Instructions are
// counted, as time is too noisy to judge by: a count is the same however busy a machine is. Scripts/test runs the suite
// by itself, because valgrind is slow.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite(
    .enabled(if: CountedRun.valgrind != nil, "valgrind is not installed; Scripts/packages lists it"),
    .disabled(if: isSanitized, "a sanitizer's instructions are not the program's"), .serialized)
struct InstructionCountTests {
    @Test func noPathTakesManyMoreInstructionsThanItDid() async throws {
        let run = try CountedRun()
        async let daemon = Self.countDaemon(run)
        async let parts = Self.countParts(run)
        let counts = try await daemon.merging(try await parts) { $1 }
        if getenv(CountTable.renewing) != nil {
            try CountTable(counts: counts).text.write(toFile: CountTable.file, atomically: true, encoding: .utf8)
            return
        }
        for fault in try CountTable.read().faults(of: counts) { Issue.record("\(fault)") }
    }

    @Test func aCountBeyondItsBoundIsAFault() throws {
        let table = try CountTable.read()
        let counts = Dictionary(uniqueKeysWithValues: table.rows.map { ($0.path, $0.count) })
        #expect(table.rows.count >= 8 && table.faults(of: counts).isEmpty)
        #expect(table.rows.allSatisfy { $0.count > 0 && Double($0.bound) <= Double($0.count) * CountTable.slack })
        for row in table.rows {
            // As if something were done twice.
            let faults = table.faults(of: counts.merging([row.path: row.count * 2]) { $1 })
            #expect(
                faults.count == 1 && faults[0].hasPrefix("\(row.path) takes \(row.count * 2) instructions"), "\(faults)"
            )
            #expect(table.faults(of: counts.merging([row.path: row.bound]) { $1 }).isEmpty)
            #expect(table.faults(of: counts.filter { $0.key != row.path }) == ["\(row.path) was not counted"])
        }
        #expect(table.faults(of: counts.merging(["more": 1]) { $1 }) == ["more is not in the table: 1 instructions"])
        #expect(try CountTable(text: table.text).rows == table.rows)
    }

    // MARK: Counting

    /// Property lists, rules and starts, in a program of their own.
    private static func countParts(_ run: CountedRun) async throws -> [String: Int] {
        let bundles = (few: 10, many: 110)
        func places(_ name: String) -> [String] { ["\(run.folder.path)/\(name)", "\(run.folder.path)/\(name).state"] }
        for (name, count) in [("first", bundles.few), ("few", bundles.few), ("many", bundles.many)] {
            let (applications, state) = (places(name)[0], places(name)[1])
            try makeBundles(count, in: applications)
            // A file that was written a moment ago may still change unseen: the index says all of it only when it has
            // rested.
            var known = ""
            for _ in 0..<100 where known != "\(count)\n" {
                known = try await Program.run(
                    SampleApplications.buildFolder + "/HotPaths", ["index", applications, state], socket: ""
                ).ending().output
            }
            #expect(known == "\(count)\n")
        }
        let program = try await run.stripped("HotPaths")
        let counts = try await run.counts("parts", program, ["paths"], between: "hot_")
        // `hot_NAME_REPETITIONS`
        var each: [String: Int] = [:]
        for (name, count) in counts {
            let words = name.split(separator: "_")
            if words.count == 3, let repetitions = Int(words[2]) { each[String(words[1])] = count / repetitions }
        }
        // Each in a process of its own: whatever a start's threads do after its delivery is counted with no other path.
        let few = try await run.total("few", program, ["start"] + places("first") + places("few"))
        let many = try await run.total("many", program, ["start"] + places("first") + places("many"))
        each["end"] = nil
        func renamed(_ old: String, _ new: String) {
            each[new] = each.removeValue(forKey: old)
        }
        renamed("decode1K", "property list of 1 KB, decoded")
        renamed("encode1K", "property list of 1 KB, encoded")
        renamed("decode59K", "property list of 59 KB, decoded")
        renamed("encode59K", "property list of 59 KB, encoded")
        renamed("match", "rule asked whether it accepts an item")
        each["start with an index, for each bundle"] = (many - few) / (bundles.many - bundles.few)
        return each
    }

    /// What each request more takes of the daemon, of a process that runs and of one that is launched for it.
    private static func countDaemon(_ run: CountedRun) async throws -> [String: Int] {
        let bundles = try TestBundles()
        let (shared, single) = ("org.exthost.tests.shared", "org.exthost.tests.single")
        for (name, point) in [("shared", "com.apple.share-services"), ("single", "com.apple.app.non-ui-extension")] {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/ShareLink", point: point,
                principalClass: "ShareLink.ShareLink")
        }
        let program = try await run.stripped("exthostd")
        // It looks for this one beside itself.
        try FileManager.default.copyItem(
            atPath: SampleApplications.buildFolder + "/exthost-init", toPath: run.folder.path + "/exthost-init")
        func count(_ name: String, launches: Int, requests: Int) async throws -> Int {
            try await run.daemon(name, program, ["--applications", bundles.path]) { host in
                for (identifier, count) in [(single, launches), (shared, requests)] {
                    for _ in 0..<count {
                        let item = NSExtensionItem()
                        let link = try #require(URL(string: "https://example.org/"))
                        item.attachments = [NSItemProvider(item: link as NSURL, typeIdentifier: "public.url")]
                        let request = try await host.begin(identifier, items: [item])
                        guard case .completed = await request.outcome else {
                            throw UnexpectedOutcome(outcome: "\(identifier): \(await request.outcome)")
                        }
                        if identifier == single { _ = await request.exit }
                    }
                }
                host.disconnect()
            }
        }
        let base = try await count("base", launches: 2, requests: 10)
        let launches = try await count("launches", launches: 8, requests: 10)
        let requests = try await count("requests", launches: 2, requests: 60)
        return [
            "request with a load, to a process that runs (daemon)": (requests - base) / 50,
            "request with a load, launched for it and ended (daemon)": (launches - base) / 6,
        ]
    }

    /// Apps with four bundles each, as `Tests/Benchmarks/start.py` has them.
    private static func makeBundles(_ count: Int, in folder: String) throws {
        let files = FileManager.default
        func write(_ list: [String: Any], _ bundle: String) throws {
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
        }
        for number in 0..<count {
            let app = "\(folder)/App\(number / 4).app"
            let bundle = "\(app)/PlugIns/Ext\(number).appex"
            try files.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            if number % 4 == 0 { try write(["CFBundleIdentifier": "org.example.app\(number / 4)"], app) }
            try write(
                [
                    "CFBundleIdentifier": "org.example.app\(number / 4).ext\(number)", "CFBundleExecutable": "ext",
                    "CFBundleVersion": "1", "CFBundleDisplayName": "Extension number \(number)",
                    "NSExtension": [
                        "NSExtensionPointIdentifier": "com.apple.share-services",
                        "NSExtensionPrincipalClass": "Ext.Handler",
                        "NSExtensionAttributes": [
                            "NSExtensionActivationRule": [
                                "NSExtensionActivationSupportsImageWithMaxCount": number % 3 + 1
                            ]
                        ],
                    ] as [String: Any],
                ], bundle)
            try Data("#!/bin/true\n".utf8).write(to: URL(fileURLWithPath: bundle + "/ext"))
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bundle + "/ext")
        }
    }
}
