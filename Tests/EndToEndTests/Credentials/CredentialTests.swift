// CredentialTests: credential providers, and the host that asks them (spec CP-1 to CP-4).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct CredentialTests {
    static let provider = "org.exthost.tests.provider"
    static let service = CredentialService("https://example.org/login", .url)

    struct Stage {
        let bundles: TestBundles
        let daemon: TestDaemon
        let host: HostApplication
        let credentials: CredentialHost
        let output: Output

        /// The end of a request for the credential of a user.
        func ending(_ user: String) async throws -> (session: CredentialSession, ending: CredentialSession.Ending) {
            let identity = CredentialIdentity(service, user: user, record: "record 7")
            let session = try await credentials.credential(for: identity, from: provider)
            return (session, await session.ending)
        }

        func list() async throws -> CredentialSession {
            try await credentials.list(for: [service], from: provider)
        }
    }

    static func bundles(_ principal: String = "CredentialController", act: String? = nil) throws -> TestBundles {
        let bundles = try TestBundles()
        try add(to: bundles, principal, act: act)
        return bundles
    }

    static func add(
        to bundles: TestBundles, _ principal: String = "CredentialController", act: String? = nil,
        identifier: String = provider, attributes: [String: Any] = [:]
    ) throws {
        var information: [String: Any] = [
            "NSExtension": [
                "NSExtensionPointIdentifier": CredentialHost.point,
                "NSExtensionPrincipalClass": "Credentials.\(principal)", "NSExtensionAttributes": attributes,
            ] as [String: Any]
        ]
        if let act { information["TestWish"] = act }
        try bundles.add(
            "provider", identifier: identifier, program: SampleApplications.buildFolder + "/Credentials",
            point: CredentialHost.point, information: information)
    }

    /// Runs a body with a daemon whose clock is virtual.
    static func with(
        _ principal: String = "CredentialController", act: String? = nil, _ body: (Stage) async throws -> Void
    ) async throws {
        let (bundles, output) = (try bundles(principal, act: act), Output())
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("browser", onOutput: output.add).application
            try await body(
                Stage(
                    bundles: bundles, daemon: daemon, host: host, credentials: CredentialHost(host), output: output))
        }
    }

    private static func expect(
        _ ending: CredentialSession.Ending, _ user: String, _ password: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        guard case .provided(let credential) = ending else {
            Issue.record("\(ending)", sourceLocation: location)
            return
        }
        #expect(credential.user == user && credential.password.text == password, sourceLocation: location)
        #expect(!"\(credential)".contains(password), sourceLocation: location)
    }

    private static func expect(
        _ ending: CredentialSession.Ending, _ fault: CredentialFault, _ location: SourceLocation = #_sourceLocation
    ) {
        guard case .cancelled(let error) = ending else {
            Issue.record("\(ending)", sourceLocation: location)
            return
        }
        #expect(
            error.domain == CredentialFault.domain && error.code == fault.rawValue, "\(error)",
            sourceLocation: location)
    }

    private static func expect(
        _ ending: CredentialSession.Ending, _ code: ExtensionHostError.Code,
        _ location: SourceLocation = #_sourceLocation
    ) {
        guard case .ended(let error) = ending else {
            Issue.record("\(ending)", sourceLocation: location)
            return
        }
        #expect(error.code == code, "\(error)", sourceLocation: location)
    }

    // spec: CP-2, P-651
    @Test("CP-2, P-651: a chosen identity is asked for without a view") func withoutAView() async throws {
        try await Self.with { stage in
            let (session, ending) = try await stage.ending("ada")
            Self.expect(ending, "ada", "secretSILENT")
            #expect(!session.isInteractive && session.first == nil && session.view == nil)
            guard case .completed = await session.request.outcome else {
                Issue.record("the framework has not completed the request")
                return
            }
            try await eventually { stage.output.text.contains("completed, expired: false") }
            #expect(stage.output.text.contains("provide ada https://example.org/login record 7 false\n"))
            #expect(!stage.output.text.contains("viewDidLoad"))
            // The author's answer may come later.
            Self.expect(try await stage.ending("later").ending, "later", "secretLATER")
        }
        try await Self.with("NewController") { stage in
            Self.expect(try await stage.ending("grace").ending, "grace", "secretNEW")
        }
    }

    // spec: CP-2
    @Test("CP-2: a credential that needs the person is asked for anew, with a view") func withAView() async throws {
        try await Self.with { stage in
            let (session, output) = (
                try await stage.credentials.credential(
                    for: CredentialIdentity(Self.service, user: "locked"), from: Self.provider), stage.output
            )
            #expect(session.isInteractive)
            let first = try #require(session.first)
            guard case .cancelled(.cancelledByExtension, let error) = await first.outcome else {
                Issue.record("\(await first.outcome)")
                return
            }
            #expect((error as NSError).code == CredentialFault.userInteractionRequired.rawValue)
            #expect(session.view?.all.contains { $0.text == "locked" } == true)
            try await session.use(.tap("Choose"))
            Self.expect(await session.ending, "ada", "secretLIST")
            try await eventually { output.text.contains("viewDidDisappear") }
            let lines = output.text.split(separator: "\n").map(String.init)
            #expect(
                lines.filter { !$0.hasPrefix("completed") } == [
                    "provide locked https://example.org/login - false", "viewDidLoad", "prepare locked",
                    "viewDidAppear", "viewDidDisappear",
                ], "\(lines)")
            // There is no third time.
            let twice = try await stage.ending("lockedTwice")
            Self.expect(twice.ending, .userInteractionRequired)
            #expect(twice.session.isInteractive)
        }
        // The default of the method needs the person.
        try await Self.with("BareController") { stage in
            let session = try await stage.credentials.credential(
                for: CredentialIdentity(Self.service, user: "ada"), from: Self.provider)
            #expect(session.isInteractive)
            await session.cancel()
            guard case .cancelled(let error) = await session.ending else {
                Issue.record("\(await session.ending)")
                return
            }
            #expect(error.domain != CredentialFault.domain)
        }
    }

    // spec: CP-2
    @Test("CP-2: without an identity the person chooses from a list") func list() async throws {
        try await Self.with { stage in
            let session = try await stage.credentials.list(
                for: [Self.service, CredentialService("example.org", .domain)], from: Self.provider)
            #expect(session.isInteractive)
            #expect(session.view?["label"]?.text == "https://example.org/login 1, example.org 0")
            try await session.use(.tap("Choose"))
            Self.expect(await session.ending, "ada", "secretLIST")
            // The view of a field for a password has no text of it.
            #expect(session.view?["master"]?.text == String(repeating: "•", count: 12))
        }
        // The answer may come before the view.
        try await Self.with(act: "now") { stage in
            Self.expect(await (try await stage.list()).ending, "ada", "secretNOW")
        }
        try await Self.with(act: "stop") { stage in
            Self.expect(await (try await stage.list()).ending, .credentialIdentityNotFound)
        }
    }

    // spec: CP-2
    @Test("CP-2: the configuration is shown once, when the provider is enabled") func configuration() async throws {
        let (bundles, output) = (try TestBundles(), Output())
        try Self.add(
            to: bundles, attributes: ["ASCredentialProviderExtensionShowsConfigurationUI": true])
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("settings", onOutput: output.add).application
            let credentials = CredentialHost(host)
            let session = try #require(try await credentials.enable(Self.provider))
            #expect(try await host.consents(of: Self.provider) == [CredentialHost.consent])
            try await session.use(.tap("Done"))
            guard case .completed = await session.ending else {
                Issue.record("\(await session.ending)")
                return
            }
            #expect(try await credentials.enable(Self.provider) == nil)
            try await credentials.disable(Self.provider)
            let again = try #require(try await credentials.enable(Self.provider))
            // A configuration takes no credential.
            try await again.use(.tap("Choose"))
            Self.expect(await again.ending, .notPermitted)
            #expect(output.text.components(separatedBy: "configure\n").count == 3)
        }
        try await Self.with { stage in
            let none = try await stage.credentials.enable(Self.provider)
            #expect(none == nil)
        }
    }

    // spec: CP-3
    @Test("CP-3: answers and errors have Apple's numbers") func answers() async throws {
        #expect(CredentialFault.allCases.map(\.rawValue) == [0, 1, 100, 101])
        try await Self.with { stage in
            Self.expect(try await stage.ending("unknown").ending, .credentialIdentityNotFound)
            guard case .cancelled(let foreign) = try await stage.ending("foreign").ending else {
                Issue.record("no error")
                return
            }
            #expect(foreign.domain == NSCocoaErrorDomain && foreign.code == CocoaError.fileReadNoSuchFile.rawValue)
            guard case .completed = try await stage.ending("nothing").ending else {
                Issue.record("not completed")
                return
            }
            let cancelled = try await stage.list()
            try await cancelled.use(.tap("Cancel"))
            Self.expect(await cancelled.ending, .userCanceled)
            let bare = try await stage.list()
            try await bare.use(.tap("Nothing"))
            guard case .completed = await bare.ending else {
                Issue.record("\(await bare.ending)")
                return
            }
        }
    }

    // spec: CP-3, P-653
    @Test("CP-3, P-653: the first answer counts, and a long one cancels the request") func hostileAnswers() async throws
    {
        try await Self.with { stage in
            let twice = try await stage.list()
            try await twice.use(.tap("Twice"))
            Self.expect(await twice.ending, "ada", "secretFIRST")
            try await eventually { stage.output.text.contains("completed, expired: false") }
            let misused = try await stage.daemon.events().filter { $0.event == EventName.contextFault.rawValue }
            #expect(misused.count == 2, "\(misused)")
            let long = try await stage.list()
            try await long.use(.tap("Long"))
            Self.expect(await long.ending, .failed)
            // The `async` form ends, too.
            let awaited = try await stage.list()
            try await awaited.use(.tap("Await long"))
            Self.expect(await awaited.ending, .failed)
            try await eventually { stage.output.text.contains("awaited, expired: false") }
            let dead = try await stage.list()
            _ = try? await dead.use(.tap("Die"))
            Self.expect(await dead.ending, .interrupted)
            Self.expect(try await stage.ending("die").ending, .interrupted)
        }
        try await Self.with("Stranger") { stage in
            Self.expect(try await stage.ending("ada").ending, .principalUnsuitable)
        }
    }

    // spec: CP-3
    @Test("CP-3: a host that cancels, or takes no credential, ends the wait for it") func awaited() async throws {
        try await Self.with { stage in
            // This host takes the credential, and does not end the request.
            let taken = OneSignal()
            var handlers = PointHandlers()
            handlers.on(SelectCredential.self) { _, _ in
                taken.fire()
                return Nothing()
            }
            let request = try await stage.host.begin(Self.provider, items: [], handling: handlers)
            try await request.call(ListCredentials([Self.service]))
            try await request.use(.tap("Await"))
            await taken.wait()
            #expect(!stage.output.text.contains("awaited"))
            try await request.cancel()
            try await eventually { stage.output.text.contains("awaited, expired: false") }
        }
        try await Self.with { stage in
            let session = try await stage.credentials.configure(Self.provider)
            try await session.use(.tap("Await"))
            Self.expect(await session.ending, .notPermitted)
            try await eventually { stage.output.text.contains("awaited, expired: false") }
        }
    }

    // spec: CP-2
    @Test("CP-2: an extension that does not answer holds no request") func time() async throws {
        try await Self.with { stage in
            // A process counts its calls over all requests.
            for (user, call) in [("silent", 1), ("hang", 4)] {
                let late = Task { try await stage.ending(user).ending }
                try await stage.daemon.event { $0.detail?.hasPrefix("credentials.provide \(call) by") == true }
                try await stage.daemon.clock.advance(by: .seconds(2))
                Self.expect(try await late.value, .timedOut)
                if user == "silent" { Self.expect(try await stage.ending("ada").ending, "ada", "secretSILENT") }
            }
        }
        try await Self.with(act: "hang") { stage in
            let late = Task { try await stage.list() }
            try await stage.daemon.event { $0.detail?.hasPrefix("credentials.list 1 by") == true }
            try await stage.daemon.clock.advance(by: .seconds(10))
            Self.expect(await (try await late.value).ending, .timedOut)
        }
    }

    // spec: CP-1
    @Test("CP-1: a stranger's extension is no provider, and requests are bounded") func refusals() async throws {
        let (bundles, share) = (try Self.bundles(), "org.exthost.tests.share")
        try bundles.add("share", identifier: share, program: SampleApplications.buildFolder + "/Credentials")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("browser").application
            #expect(try await host.extensions().contains { $0.identifier == share })
            let credentials = CredentialHost(host)
            func code(_ body: () async throws -> some Any) async -> ExtensionHostError.Code? {
                do { _ = try await body() } catch { return (error as? ExtensionHostError)?.code }
                return nil
            }
            for stranger in ["org.example.missing", share] {
                #expect(await code { try await credentials.list(for: [], from: stranger) } == .noSuchExtension)
                #expect(await code { try await credentials.configure(stranger) } == .noSuchExtension)
            }
            let many = Array(repeating: Self.service, count: CredentialHost.mostServices + 1)
            let long = CredentialService(
                String(repeating: "é", count: CredentialHost.longestService / 2 + 1), .domain)
            for services in [many, [long]] {
                #expect(
                    await code { try await credentials.list(for: services, from: Self.provider) } == .invalidArgument)
            }
            let user = String(repeating: "a", count: CredentialHost.longestUser + 1)
            let record = String(repeating: "a", count: CredentialHost.longestRecord + 1)
            for identity in [
                CredentialIdentity(long, user: "ada"), CredentialIdentity(Self.service, user: user),
                CredentialIdentity(Self.service, user: "ada", record: record),
            ] {
                #expect(
                    await code { try await credentials.credential(for: identity, from: Self.provider) }
                        == .invalidArgument)
            }
            // The longest names travel.
            let longest = CredentialIdentity(
                CredentialService(String(long.identifier.dropLast()), .domain), user: String(user.dropLast()),
                record: String(record.dropLast()))
            let session = try await credentials.credential(for: longest, from: Self.provider)
            Self.expect(await session.ending, longest.user, "secretSILENT")
        }
    }

    // spec: CP-3
    // not simulated: N-190, N-191
    @Test("CP-3: a passkey is not simulated") func passkeys() async throws {
        try await Self.with { stage in
            let session = try await stage.list()
            try await session.use(.tap("Passkey"))
            Self.expect(await session.ending, .notSimulated)
            let codes = try await stage.list()
            try await codes.use(.tap("Code"))
            Self.expect(await codes.ending, .notSimulated)
        }
    }
}
