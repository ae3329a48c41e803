// SavedItemTests: `run --save` writes what an extension returns, and nothing anywhere else.

import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite struct SavedItemTests {
    @Test func everyReturnedAttachmentBecomesAFileInTheFolderAndNowhereElse() async throws {
        let bundles = try TestBundles.withPuppet()
        let order = bundles.path + "/order.json"
        try Data(#"[{"userInfo": {"do": "make", "argument": "100000"}}]"#.utf8).write(to: URL(fileURLWithPath: order))
        let folder = bundles.path + "/out/saved"
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            for round in 1...2 {
                let ending = try await control(["run", puppet, "--items", order, "--save", folder], daemon)
                #expect(ending.status == 0, "\(ending)")
                #expect(ending.errors.contains("saved \(folder)/picture\(round == 1 ? "" : " 2").png"))
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(
                names
                    == [
                        "_.._escape", "_. 2._escape", "escape 2.bin", "escape.bin", "picture 2.png", "picture.png",
                    ].sorted())
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: folder + "/picture.png"))
                    == Data(repeating: 0x61, count: 100_000))
            #expect(try String(contentsOfFile: folder + "/escape.bin", encoding: .utf8) == "some words")
            #expect(try FileManager.default.contentsOfDirectory(atPath: bundles.path + "/out") == ["saved"])
            let refused = try await control(["run", puppet, "--items", order, "--save", order + "/x"], daemon)
            #expect(refused.status == 64 && refused.errors.contains("cannot be made: "))
        }
    }

    @Test func filesAreSavedHoweverManyAreReturned() async throws {
        let bundles = try TestBundles.withPuppet()
        let order = bundles.path + "/order.json"
        try Data(#"[{"userInfo": {"do": "makeFiles", "argument": "60"}}]"#.utf8).write(to: URL(fileURLWithPath: order))
        let folder = bundles.path + "/saved"
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let ending = try await control(["run", puppet, "--items", order, "--save", folder], daemon)
            #expect(ending.status == 0, "\(ending)")
            for number in 0..<60 {
                #expect(try String(contentsOfFile: folder + "/file \(number).txt", encoding: .utf8) == "\(number)")
            }
        }
    }

    @Test func aWholeRequestMayBeAPropertyList() async throws {
        let bundles = try TestBundles.withPuppet()
        let path = bundles.path + "/request.plist"
        let items: [[String: Any]] = [
            ["title": "T", "userInfo": ["do": "return"], "attachments": [["values": ["public.data": Data([1, 2])]]]]
        ]
        try PropertyListSerialization.data(fromPropertyList: items, format: .binary, options: 0).write(
            to: URL(fileURLWithPath: path))
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let report = try await json(["run", puppet, "--items", path], daemon)
            let item = try #require((report["items"] as? [[String: Any]])?.first)
            #expect(item["title"] as? String == "T")
            let values = (item["attachments"] as? [[String: Any]])?.first?["values"] as? [String: [String: Any]]
            #expect(values?["public.data"]?["bytes"] as? Int == 2)
        }
    }
}
