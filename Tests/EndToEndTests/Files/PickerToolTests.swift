// PickerToolTests: `exthostctl run`, scenarios and the explorer of document pickers and file actions (spec FP-33).

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import TestPrograms
import Testing

@Suite struct PickerToolTests {
    private func sample(_ arguments: String...) async throws -> Program.Ending {
        let picker = try samples() + "/Samples.app/PlugIns/StorageFiles.appex"
        return try await Program.control(["run", picker, "--ephemeral"] + arguments).ending()
    }

    // spec: FP-33
    @Test("FP-33: run takes a document to the sample") func runExports() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/photo.txt"
        try Data("a photo".utf8).write(to: URL(fileURLWithPath: file))
        let saved = try await sample("--mode", "export", "--file", file, "--tap", "Save here")
        #expect(saved.status == 0 && saved.output.hasPrefix("picked: "), "\(saved)")
        #expect(saved.output.contains("kind  exported") && saved.output.contains("name  photo.txt"))
        let cancelled = try await sample("--mode", "import", "--tap", "Cancel", "--json")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(cancelled.output.utf8)) as? [String: Any])
        #expect(document["result"] as? String == "cancelled" && document["mode"] as? String == "import")
        #expect(cancelled.status == OutcomeKind.cancelled.exitStatus)
        // Without an act the view is shown, and the session cancelled.
        let shown = try await sample("--mode", "import")
        #expect(shown.errors.contains("Cancel") && shown.output.hasPrefix("cancelled: "), "\(shown)")
    }

    // spec: FP-33
    @Test("FP-33: run opens a document of the provider's storage, and writes it to a file") func runOpens() async throws
    {
        let bundles = try PickerStage.bundles()
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let groups = try #require(daemon.groupContainers)
            // The user's daemon has its containers at a known place, and a private one in the environment.
            func run(_ arguments: String...) async throws -> Program.Ending {
                try await Program.run(
                    "/usr/bin/env",
                    [
                        "EXTHOST_GROUP_CONTAINERS=\(groups)", SampleApplications.buildFolder + "/exthostctl", "run",
                        PickerStage.picker,
                    ] + arguments, socket: daemon.address.path
                ).ending()
            }
            let out = folder.path + "/out.txt"
            let opened = try await run(
                "--mode", "open", "--type", "public.text,public.image", "--tap", "note", "--out", out, "--json")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(opened.output.utf8)) as? [String: Any], "\(opened)")
            #expect(report["kind"] as? String == "opened" && report["path"] as? String == "note.txt")
            #expect(report["provider"] as? String == PickerStage.provider && report["bytes"] as? Int == 6)
            #expect(opened.status == 0 && FileManager.default.contents(atPath: out) == Data("a note".utf8))
            let refused = try await run("--mode", "open", "--type", "public.text", "--tap", "link")
            #expect(refused.status == 1 && refused.output.contains("reason  link"), "\(refused)")
            for wrong in [
                ["--mode", "save"], ["--mode", "export"], ["--mode", "open", "--file", out],
                ["--mode", "move", "--file", out, "--type", "public.text"], ["--action", "x"],
                ["--mode", "export", "--file", out, "--out", out],
            ] {
                let ending = try await Program.run(
                    SampleApplications.buildFolder + "/exthostctl", ["run", PickerStage.picker] + wrong,
                    socket: daemon.address.path
                ).ending()
                #expect(ending.status == 64, "\(wrong): \(ending)")
            }
        }
    }

    // spec: FP-33
    @Test("FP-33: run lists the offered actions, and performs one") func runActs() async throws {
        let bundles = try FileActionsTests.bundles()
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let items = folder.path + "/items.json"
        try Data(
            "[{\"itemIdentifier\": \"7\", \"typeIdentifier\": \"public.jpeg\",\n \"userInfo\": {\"shared\": true}}]\n"
                .utf8
        ).write(to: URL(fileURLWithPath: items))
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let name = "org.exthost.tests.actions"
            let usual = try await control(["run", name], daemon)
            #expect(usual.status == 0 && usual.output.contains("Do single") && usual.output.contains("Do texts"))
            let offered = try await json(["run", name, "--selection", items], daemon)
            let actions = (offered["actions"] as? [[String: String]])?.compactMap { $0["identifier"] }
            #expect(actions == ["single", "shared"])
            let done = try await control(
                ["run", name, "--selection", items, "--action", "shared", "--tap", "done"], daemon)
            #expect(done.status == 0 && done.output.hasPrefix("completed: "), "\(done)")
            let refused = try await control(["run", name, "--selection", items, "--action", "texts"], daemon)
            #expect(refused.status != 0 && refused.errors.contains("does not offer the action texts"), "\(refused)")
            let act = try await control(["run", name, "--tap", "done"], daemon)
            #expect(act.status == 64 && act.errors.contains("--action"), "\(act)")
            try Data("[1]".utf8).write(to: URL(fileURLWithPath: items))
            let broken = try await control(["run", name, "--selection", items], daemon)
            #expect(broken.status == 64 && broken.errors.contains("itemIdentifier"), "\(broken)")
        }
    }

    // spec: FP-33, PC-27
    @Test("FP-33, PC-27: scenarios pick documents, and perform actions") func scenarios() async throws {
        let pickers = try PickerStage.bundles()
        let actions = try FileActionsTests.bundles()
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try Data("a document".utf8).write(to: URL(fileURLWithPath: folder.path + "/document.txt"))
        func check(_ text: String, _ applications: String) async throws {
            let path = folder.path + "/test.scenario"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let ending = try await Program.control(["test", path, "--applications", applications]).ending()
            #expect(ending.status == 0, "\(ending)")
        }
        try await check(
            """
            extension org.exthost.tests.picker

            test "documents are picked"
                pick open public.plain-text
                view tap note
                expect result picked
                expect shown kind = "opened"
                expect shown path = "note.txt"
                pick moveToService document.txt
                view tap move
                expect result picked
                expect shown bytes = 10
                expect file group.org.exthost.tests/'File Provider Storage/kept.txt' = "a document"
                pick import
                view tap nothing
                expect result cancelled
                pick open
                view tap link
                expect result refused
                expect shown reason = "link"

            test "a picker dies"
                pick import
                view tap die
                expect result ended
            """, pickers.path)
        try await check(
            """
            extension org.exthost.tests.actions

            test "actions are performed"
                action single
                view tap done
                expect result completed
                action single
                view tap cancel
                expect result cancelled
                expect shown domain = "FPUIErrorDomain"
            """, actions.path)
    }

    @Test("the explorer finds no fault of a picker and of actions in other orders of calls")
    func exploration() async throws {
        for (name, bundles) in [
            ("picker", try PickerStage.bundles()), ("actions", try FileActionsTests.bundles("atOnce")),
        ] {
            let ending = try await Program.control(
                ["explore", "org.exthost.tests.\(name)", "--applications", bundles.path, "--schedules", "8"]
            ).ending()
            #expect(ending.status == 0, "\(name): \(ending)")
        }
    }
}
