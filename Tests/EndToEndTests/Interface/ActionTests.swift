// ActionTests: Action extensions with a view and without: what they return reaches the host.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

private let withView = "org.exthost.tests.translate"
private let quietly = "org.exthost.tests.quietly"

@Suite struct ActionTests {
    private func bundles() throws -> TestBundles {
        let bundles = try TestBundles()
        let program = SampleApplications.buildFolder + "/Translate"
        try bundles.add(
            "translate", program: program, point: "com.apple.ui-services",
            principalClass: "Translate.TranslateController")
        try bundles.add(
            "quietly", program: program, point: "com.apple.services", principalClass: "Translate.TranslateHandler")
        return bundles
    }

    private func returned(_ outcome: RequestOutcome) async throws -> sending Any? {
        let provider = try #require(try items(of: outcome).first?.attachments?.first)
        return try await provider.loadItem(forTypeIdentifier: provider.registeredTypeIdentifiers[0])
    }

    // spec: P-426
    @Test func withAViewTheTranslationIsShownAndReturnedWhenWanted() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(withView, items: [.text("Good morning Moon")])
            let view = try #require(await request.view { $0["Replace"]?.isEnabled == true })
            #expect(view.title == "Translate" && view["translation"]?.text == "gut Morgen Mond")
            try await request.use(.tap("Replace"))
            #expect(try await returned(await request.outcome) as? String == "gut Morgen Mond")

            let other = try await host.begin(withView, items: [.text("x")])
            _ = await other.view { $0["Done"] != nil }
            try await other.use(.tap("Done"))
            #expect(await other.outcome.cause == .cancelledByExtension)
        }
    }

    @Test func anAlertIsAboveEverythingElse() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(withView, items: [.url("https://example.org")])
            let alert = try #require(await request.view { $0.first(.alert) != nil }?.first(.alert))
            #expect(alert.title == "Nothing to translate" && alert.children.map(\.title) == ["OK"])
            let error = await #expect(throws: ExtensionHostError.self) { try await request.use(.tap("Done")) }
            #expect(error?.code == .invalidArgument)
            try await request.use(.tap("OK"))
            #expect(await request.outcome.cause == .cancelledByExtension)
        }
    }

    // spec: P-426, P-044
    @Test func withoutAViewTheTranslationIsReturnedAtOnce() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(quietly, items: [.text("hello world")])
            #expect(try await returned(await request.outcome) as? String == "hallo Welt")
            #expect(request.view == nil)
            try await daemon.control.fence()
            #expect(try await !daemon.events().contains { $0.event == EventName.requestDismissed.rawValue })
        }
    }

    /// The guide's page: what its script found comes under one key, what it is to do goes back under the other.
    // spec: P-427, P-083
    @Test func aPagesScriptIsAnsweredByItsArguments() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("browser")
            let found: [String: Any] = [
                NSExtensionJavaScriptPreprocessingResultsKey: [
                    "baseURI": "https://example.org/", "selection": "the book",
                ]
            ]
            let provider = NSItemProvider(item: found, typeIdentifier: "com.apple.property-list")
            let request = try await host.begin(quietly, items: [.attachment(provider)])
            let answer = try await returned(await request.outcome) as? [String: Any]
            let arguments = answer?[NSExtensionJavaScriptFinalizeArgumentKey] as? [String: String]
            #expect(arguments == ["address": "https://example.org/", "bgColor": "red", "translation": "die Buch"])
        }
    }
}
