// KeyboardToolTests: the tools at the point of keyboards, its sample, and an extension without its framework.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct KeyboardToolTests {
    private static let typist = KeyboardTests.typist

    private static func run(
        _ bundles: TestBundles, _ arguments: [String], _ body: (TestDaemon) async throws -> Void = { _ in }
    ) async throws -> Program.Ending {
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let ending = try await control(["run"] + arguments, daemon)
            try await body(daemon)
            return ending
        }
    }

    // spec: KB-28
    @Test("KB-28: run types words, and prints the text, each edit and the mirror")
    func runTypes() async throws {
        let bundles = try KeyboardTests.bundles()
        let ending = try await Self.run(
            bundles, [Self.typist, "--text", "Hi ", "--tap", "b", "--tap", "delete", "--type", "ab"])
        #expect(ending.status == 0 && ending.output.hasPrefix("typed: \(Self.typist), pid "), "\(ending)")
        #expect(
            ending.output.contains("\n  insert “b”\n  delete\n  insert “a”\n  insert “b”\ntext    “Hi ab”, insertion"),
            "\(ending)")
        #expect(ending.output.contains("mirror  before “Hi ab”, selected nil, after nil"), "\(ending)")
        let json = try await Self.run(bundles, [Self.typist, "--type", "é", "--json"])
        #expect(json.status == 0 && json.output.contains(#""text": "é""#), "\(json)")
        let missing = try await Self.run(bundles, [Self.typist, "--type", "ax"])
        #expect(missing.status == 1 && missing.output.contains("has no key for “x”"), "\(missing)")
        #expect(missing.output.contains("text    “a”"), "\(missing)")
    }

    // spec: KB-28
    @Test("KB-28: run has a field for a password, and gives full access for its session only")
    func runWithOptions() async throws {
        let bundles = try KeyboardTests.bundles(attributes: ["RequestsOpenAccess": true])
        let secure = try await Self.run(bundles, [Self.typist, "--secure", "--type", "pw"])
        #expect(secure.status == 0 && secure.output.hasPrefix("the system's keyboard:"), "\(secure)")
        #expect(secure.output.contains("text    “pw”"), "\(secure)")
        let full = try await Self.run(bundles, [Self.typist, "--full-access", "--tap", "facts"]) { daemon in
            let consents = try await daemon.control.show(Self.typist).consents
            #expect(consents.isEmpty)
        }
        #expect(full.status == 0 && full.errors.contains("facts true"), "\(full)")
        let none = try await Self.run(bundles, [Self.typist, "--tap", "facts"])
        #expect(none.errors.contains("facts false"), "\(none)")
        let other = try await Self.run(bundles, [Self.typist, "--url", "https://example.org"])
        #expect(other.status == 64 && other.errors.contains("A payload does not act at"), "\(other)")
    }

    @Test("PC-27: a scenario gives the focus, types, moves and switches")
    func aKeyboardsScenario() async throws {
        let bundles = try KeyboardTests.bundles()
        let file = bundles.path + "/keys.scenario"
        let lines = """
            extension \(Self.typist)
            test "it types"
              focus "Hi "
              expect keyboard custom
              type "abc"
              expect field "Hi abc"
              select 0 2
              tap delete
              expect field " abc"
              advance 33ms
              tap "insert and look"
              expect output "at once nil|nil| abc"
              advance 33ms
              tap look
              expect output "look x|nil| abc"
              focus "" secure
              expect keyboard system
              type "pw"
              expect field "pw"
              focus
              expect keyboard custom
              switch
              expect keyboard system
              expect outcome completed
            test "it goes"
              focus
              tap dismiss
              expect keyboard none
            test "it is killed"
              focus "x"
              kill
              expect keyboard system
              expect field "x"
            test "there is no such key"
              focus
              type "z"
              expect field "z"
            test "nothing is like that"
              focus
              expect field "z"
            """
        try Data((lines + "\n").utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", bundles.path, "--tap"]).ending()
        for (number, name) in ["it types", "it goes", "it is killed"].enumerated() {
            #expect(ending.output.contains("\nok \(number + 1) - \(name)"), "\(ending)")
        }
        #expect(ending.output.contains("not ok 4 - ") && ending.output.contains("no key for “z”"), "\(ending)")
        #expect(ending.output.contains("not ok 5 - ") && ending.output.contains("the text “z”"), "\(ending)")
    }

    // spec: KB-2
    @Test("KB-2: a keyboard that trusts the mirror is broken by the explorer, and one that does not is not")
    func theExplorerFindsTrust() async throws {
        func explore(_ controller: String, _ arguments: String...) async throws -> Program.Ending {
            let bundles = try KeyboardTests.bundles(principal: controller)
            return try await Program.control(
                ["explore", Self.typist, "--applications", bundles.path] + arguments
            ).ending()
        }
        let found = try await explore("TrustingViewController", "--schedules", "40")
        #expect(found.status == 1 && found.output.contains("crash: "), "\(found)")
        let usual = try await explore("TrustingViewController", "--schedules", "1")
        #expect(usual.status == 0, "\(usual)")
        let order = try #require(found.output.split(separator: "\n").first { $0.hasPrefix("order: ") }?.dropFirst(7))
        let again = try await explore("TrustingViewController", "--order", String(order))
        #expect(again.status == 1, "\(again)")
        let right = try await explore("TypistViewController", "--schedules", "12")
        #expect(right.status == 0, "\(right)")
    }

    @Test("PC-27: the sample types, begins sentences with a capital, and makes two spaces a full stop")
    func theSampleTypes() async throws {
        try await withTestDaemon(applications: [try samples()], clock: .virtual) { daemon in
            let field = KeyboardHost(
                try await daemon.host("notes").application, keyboard: "org.exthost.samples.latin")
            await field.focus()
            #expect(await field.shown == .custom("org.exthost.samples.latin"))
            try await field.type("Hello  It works.")
            #expect(await field.text == "Hello. It works.")
            #expect(await field.height == 260)
            await field.select(0..<5)
            try await field.type("Bye")
            #expect(await field.text == "Bye. It works.")
            try await field.tap("🌐")
            #expect(await field.shown == .system)
            #expect(await field.remarks == [])
        }
    }

    @Test("PC-27: at this point an extension without the framework lives and ends as at others")
    func anExtensionWithoutTheFramework() async throws {
        let bundles = try TestBundles.withPuppet(point: KeyboardHost.point)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("return", "x")])
            #expect(await request.outcome.kind == .completed)
            let open = try await host.begin(puppet, items: [order("hang")])
            let error = await #expect(throws: ExtensionHostError.self) { try await open.call(KeysAppear()) }
            #expect(error?.code == .frameworkMissing && error?.remedy?.contains("KeyboardService") == true)
            try await open.cancel()
        }
    }
}
