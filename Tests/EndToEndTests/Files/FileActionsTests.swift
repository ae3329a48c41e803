// FileActionsTests: the actions of file providers, from their rules to their end (spec FP-29, FP-32).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PropertyListCoding
import Testing

@Suite struct FileActionsTests {
    private static let actions = "org.exthost.tests.actions"

    private static func action(_ identifier: String, _ rule: String?) -> [String: Any] {
        var action: [String: Any] = [
            "NSExtensionFileProviderActionIdentifier": identifier,
            "NSExtensionFileProviderActionName": "Do \(identifier)",
        ]
        if let rule { action["NSExtensionFileProviderActionActivationRule"] = rule }
        return action
    }

    /// Seven actions; the third to the sixth are never offered.
    static var declared: [[String: Any]] {
        [
            action("single", "fileproviderItems.@count == 1"),
            action(
                "texts", "SUBQUERY(fileproviderItems, $i, $i.typeIdentifier UTI-CONFORMS-TO \"public.text\").@count > 0"
            ),
            action("misspelt", "fileProviderItems.@count == 1"),
            action("broken", "this is ("),
            action("endless", String(repeating: "SUBQUERY(fileproviderItems, $i, ", count: 300)),
            action("ruleless", nil),
            action("shared", "SUBQUERY(fileproviderItems, $i, $i.userInfo.shared == TRUE).@count > 0"),
        ]
    }

    static func bundles(_ wish: String = "", principal: String = "ActionController") throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.add(
            "actions", program: SampleApplications.buildFolder + "/Picker", point: FileActionsHost.point, rule: nil,
            information: [
                "TestWish": wish,
                "NSExtension": [
                    "NSExtensionPointIdentifier": FileActionsHost.point,
                    "NSExtensionPrincipalClass": "Picker.\(principal)", "NSExtensionFileProviderActions": declared,
                ],
            ])
        return bundles
    }

    private static func with(
        _ wish: String = "", principal: String = "ActionController",
        _ body: (FileActionsHost, TestDaemon, () async throws -> [String]) async throws -> Void
    ) async throws {
        let bundles = try bundles(wish, principal: principal)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let output = Output()
            let host = try await daemon.host("files", onOutput: output.add)
            try await body(FileActionsHost(host.application), daemon) {
                try await host.application.fence()
                return output.text.split(separator: "\n").map(String.init)
            }
        }
        _ = bundles
    }

    private static func item(
        _ identifier: String, _ type: String = "public.plain-text", isShared: Bool = false
    ) -> FileActionsHost.Item {
        FileActionsHost.Item(
            identifier, ["typeIdentifier": .string(type), "userInfo": ["shared": .boolean(isShared)]])
    }

    // spec: FP-29
    @Test(
        "FP-29: the rules over fileproviderItems decide which actions are offered",
        arguments: [
            ([item("1")], ["single", "texts"]), ([item("1", "public.jpeg")], ["single"]),
            ([item("1"), item("2")], ["texts"]), ([item("1", "public.jpeg"), item("2", "public.html")], ["texts"]),
            ([item("1", "public.jpeg", isShared: true)], ["single", "shared"]), ([], []),
        ] as [([FileActionsHost.Item], [String])])
    func theOffer(items: [FileActionsHost.Item], offered: [String]) async throws {
        try await Self.with { host, _, _ in
            let found = try await host.actions(for: items)
            #expect(found.map(\.identifier) == offered)
            #expect(found.allSatisfy { $0.provider == Self.actions && $0.name == "Do \($0.identifier)" })
            #expect(try await host.actions(for: items, of: "/elsewhere.app") == [])
        }
    }

    // spec: FP-29
    @Test("FP-29: an action begins with its identifier and its items, and the extension's view ends it")
    func anAction() async throws {
        try await Self.with { host, _, lines in
            let session = try await host.perform(
                "texts", of: Self.actions,
                on: [Self.item("NSFileProviderRootContainerItemIdentifier"), Self.item("b")], domain: "work")
            #expect(await session.request.view { _ in true } != nil)
            #expect(
                try await lines() == [
                    "viewDidLoad", "prepare texts the root,b", "domain work, FPUIActionExtensionContext",
                    "viewWillAppear",
                ])
            _ = try? await session.use(.tap("done"))
            guard case .completed = await session.ending else { return fail("another end") }
            #expect(await session.request.outcome.kind == .completed)

            let cancelled = try await host.perform("single", of: Self.actions, on: [Self.item("1")])
            _ = try? await cancelled.use(.tap("cancel"))
            guard case .cancelled(let error) = await cancelled.ending else { return fail("another end") }
            #expect(error.domain == "FPUIErrorDomain" && error.code == 0)
            #expect(try await lines().contains("domain none, FPUIActionExtensionContext"))

            let dead = try await host.perform("single", of: Self.actions, on: [Self.item("1")])
            _ = try? await dead.use(.tap("die"))
            guard case .ended = await dead.ending else { return fail("another end") }
        }
    }

    // spec: FP-29
    @Test("FP-29: an action that is not offered for the items is refused", arguments: ["texts", "ruleless", "no such"])
    func aRefusedAction(name: String) async throws {
        try await Self.with { host, _, lines in
            let error = await #expect(throws: ExtensionHostError.self) {
                try await host.perform(name, of: Self.actions, on: [Self.item("1", "public.jpeg")])
            }
            #expect(error?.code == .ruleMismatch && error?.message.contains(name) == true)
            let many = Array(repeating: Self.item("1"), count: FileActionsHost.mostItems + 1)
            let quota = await #expect(throws: ExtensionHostError.self) { try await host.actions(for: many) }
            #expect(quota?.code == .quotaExceeded)
            let printed = try await lines()
            #expect(printed == [])
        }
    }

    // spec: FP-29
    @Test("FP-29: an action may end while it is prepared, and an error is prepared for with its domain and code")
    func preparation() async throws {
        try await Self.with("atOnce") { host, _, lines in
            let session = try await host.perform("single", of: Self.actions, on: [Self.item("1")])
            guard case .completed = await session.ending else { return fail("another end") }
            let error = NSError(
                domain: "NSFileProviderErrorDomain", code: -1000, userInfo: [NSLocalizedDescriptionKey: "Log in"])
            let mending = try await host.mend(error, with: Self.actions)
            #expect(await mending.request.view { _ in true } != nil)
            #expect(try await lines().contains("error NSFileProviderErrorDomain -1000 Log in"))
            await mending.cancel()
            guard case .cancelled = await mending.ending else { return fail("another end") }
        }
    }

    @Test("a principal class that is no controller of actions is unsuitable")
    func anUnsuitableClass() async throws {
        try await Self.with(principal: "NoPicker") { host, _, _ in
            let error = await #expect(throws: ExtensionHostError.self) {
                try await host.perform("single", of: Self.actions, on: [Self.item("1")])
            }
            #expect(error?.code == .principalUnsuitable)
        }
    }
}

/// Fails the test.
private func fail(_ text: String) { Issue.record(Comment(rawValue: text)) }
