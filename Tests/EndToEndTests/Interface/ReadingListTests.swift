// ReadingListTests: what the listings of the Share tutorial do, done by the sample and driven by name as a person
// would.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

private let save = "org.exthost.samples.reading.save"
private let quick = "org.exthost.samples.reading.quick"

extension TestBundles {
    /// The sample app `Reading list` with its extensions, as their property lists describe them.
    static func readingList() throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.addSample("ReadingListApp", to: "ReadingList.app")
        try bundles.addSample("SaveLink", to: "ReadingList.app/PlugIns/SaveLink.appex")
        try bundles.addSample("SaveQuickly", to: "ReadingList.app/PlugIns/SaveQuickly.appex")
        try bundles.addSample("LastLink", to: "ReadingList.app/PlugIns/LastLink.appex")
        return bundles
    }

    private func addSample(_ name: String, to bundle: String) throws {
        let folder = URL(fileURLWithPath: "\(path)/\(bundle)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let source = URL(fileURLWithPath: "\(SampleApplications.root)/Sources/Samples/ReadingList/\(name)")
        for file in ["Info.plist", "Entitlements.plist"] {
            try FileManager.default.copyItem(
                at: source.appendingPathComponent(file), to: folder.appendingPathComponent(file))
        }
        let (program, executable) = (
            "\(SampleApplications.buildFolder)/\(name)", folder.appendingPathComponent(name).path
        )
        if link(program, executable) != 0 {
            try FileManager.default.copyItem(atPath: program, toPath: executable)
            try waitForWriters(of: executable)
        }
    }
}

@Suite struct ReadingListTests {
    private func link(_ text: String? = nil) -> NSExtensionItem {
        let item = NSExtensionItem.url("https://example.org/article")
        if let text { item.attributedContentText = NSAttributedString(string: text) }
        return item
    }

    /// Runs the app until it has become active, then lets its user leave.
    private func app(_ bundles: TestBundles, _ daemon: TestDaemon) async throws -> String {
        let environment = [
            "EXTHOST_APP_GROUPS": "group.org.exthost.samples.reading",
            "EXTHOST_GROUP_CONTAINERS": daemon.groupContainers ?? "",
            "HOME": "/nonexistent", "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
        ]
        let program = try Program("\(bundles.path)/ReadingList.app/ReadingListApp", environment: environment)
        for await _ in program.lines { break }
        try program.end()
        let ending = try await program.ending()
        #expect(ending.status == 0, "\(ending)")
        return ending.output
    }

    /// Listings 2.3.1 to 2.4: the address is found, stored with the mark, and read and reset by the app.
    // spec: P-420, P-215, P-430
    @Test func whatIsPostedTheAppFindsOnceWhenItBecomesActive() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            #expect(try await app(bundles, daemon) == "nothing new\ngoodbye\n")
            let host = try await daemon.host("notes")
            let request = try await host.begin(save, items: [link("Read this")])
            let view = try #require(await request.view { $0.isEnabled && !$0.children.isEmpty })
            #expect(
                view.kind == .sheet && view.title == "Save link" && view.text == "Read this"
                    && view.placeholder == "A note")
            #expect(view.remaining == 31)
            try await request.use(.post)
            let outcome = await request.outcome
            #expect(try items(of: outcome).count == 1)
            #expect(
                try await app(bundles, daemon)
                    == "new: https://example.org/article for nobody else - Read this\ngoodbye\n")
            #expect(try await app(bundles, daemon) == "nothing new\ngoodbye\n")
        }
    }

    // spec: P-421, P-215, P-429
    @Test func everyEditDecidesWhetherPostIsEnabled() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(save, items: [link()])
            _ = await request.view { $0.kind == .sheet && $0.isEnabled }
            let long = try #require(try await request.use(.setText(String(repeating: "x", count: 41))))
            #expect(!long.isEnabled && long.remaining == -1)
            let error = await #expect(throws: ExtensionHostError.self) { try await request.use(.post) }
            #expect(error?.code == .notPermitted)
            let short = try #require(try await request.use(.setText("short")))
            #expect(short.isEnabled && short.remaining == 35 && short.text == "short")
            try await request.cancel()
        }
    }

    /// Listing 3.1: an option that appears with the public switch, and the list from which it is chosen.
    // spec: P-422
    @Test func thePublicSwitchBringsAnOptionWithAListOfItsOwn() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(save, items: [link("note")])
            let before = try #require(await request.view { !$0.children.isEmpty })
            #expect(before["Public"]?.text == "No" && before["Readers"] == nil)
            let open = try #require(try await request.use(.tap("Public")))
            #expect(open["Public"]?.text == "Yes" && open["Readers"]?.text == "Everybody")
            let list = try #require(try await request.use(.tap("Readers"))?.first(.pushed))
            #expect(
                list.title == "Readers" && list.all.filter { $0.kind == .row }.map(\.title) == ["Everybody", "Friends"])
            let chosen = try #require(try await request.use(.tap("Friends")))
            #expect(chosen.first(.pushed) == nil && chosen["Readers"]?.text == "Friends")
            try await request.use(.post)
            #expect(await request.outcome.kind == .completed)
            #expect(try await app(bundles, daemon).hasPrefix("new: https://example.org/article for Friends - note\n"))
        }
    }

    /// Listing 2.3.3: the wheel turns until the address has come.
    @Test func theWheelTurnsWhileTheAddressIsLoaded() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let release = OneSignal()
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
                Task {
                    await release.wait()
                    completion?(URL(string: "https://example.org/slow") as NSURL?, nil)
                }
            }
            let request = try await host.begin(save, items: [.attachment(provider)])
            let view = try #require(await request.view { $0.kind == .sheet && $0.isEnabled })
            #expect(view.first(.activity) == nil)
            let posted = try await request.use(.post)
            #expect(posted?.first(.activity)?.isPending == true)
            #expect(request.view?.kind == .sheet)
            release.fire()
            #expect(await request.outcome.kind == .completed)
            #expect(try await app(bundles, daemon).hasPrefix("new: https://example.org/slow"))
        }
    }

    /// The sheet as it is, without a class of the author's.
    // spec: P-428
    @Test func postReturnsTheItemsThatCameByDefault() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "plain", program: SampleApplications.buildFolder + "/SaveLink",
            principalClass: "Social.SLComposeServiceViewController")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.plain", items: [link(), link("a note")])
            _ = await request.view { $0.kind == .sheet && $0.isEnabled }
            try await request.use(.post)
            let returned = try items(of: await request.outcome)
            #expect(returned.count == 2)
            #expect(returned.first?.attachments?.count == 1)
            #expect(returned.last?.attributedContentText?.string == "a note")
        }
    }

    // spec: P-423, P-033
    @Test func cancelIsTheUsersWish() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(save, items: [link()])
            _ = await request.view { $0.kind == .sheet }
            try await request.use(.cancel)
            guard case .cancelled(.cancelledByExtension, let error) = await request.outcome else {
                Issue.record("not cancelled")
                return
            }
            #expect((error as NSError?)?.code == CocoaError.userCancelled.rawValue)
        }
    }

    /// Listing 3.2: a controller of the author's own.
    @Test func aViewOfItsOwnShowsTheAddressAndItsButtonsEndTheRequest() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let posted = try await host.begin(quick, items: [link()])
            let view = try #require(await posted.view { $0["address"]?.text != nil })
            #expect(view.kind == .view && view["address"]?.text == "https://example.org/article")
            #expect(view.all.filter { $0.kind == .button }.map(\.title) == ["Cancel", "Post"])
            let error = await #expect(throws: ExtensionHostError.self) { try await posted.use(.tap("Like")) }
            #expect(error?.code == .invalidArgument && error?.remedy?.contains("Cancel, Post") == true)
            try await posted.use(.tap("Post"))
            #expect(await posted.outcome.kind == .completed)

            let cancelled = try await host.begin(quick, items: [link()])
            try #require(await cancelled.view { $0["Cancel"] != nil } != nil)
            try await cancelled.use(.cancel)
            #expect(await cancelled.outcome.cause == .cancelledByExtension)
        }
    }

    /// Dismissal and result are separate: the log has the result first.
    @Test func theSheetIsDismissedAfterTheResult() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(quick, items: [link()])
            _ = await request.view { $0["Post"] != nil }
            try await request.use(.post)
            _ = await request.outcome
            _ = try await daemon.event { $0.event == "request.dismissed" }
            let ends = try await daemon.events().map(\.event).filter {
                $0 == "request.completed" || $0 == "request.dismissed"
            }
            #expect(ends == ["request.completed", "request.dismissed"])
        }
    }

    @Test func anExtensionWithoutAViewSaysSo() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            let error = await #expect(throws: ExtensionHostError.self) { try await request.use(.post) }
            #expect(error?.code == .invalidArgument && request.view == nil)
            try await request.cancel()
        }
    }
}
