// NewVerbTests: `exthostctl new` for every point there is, in both languages.

import ExtensionPoints
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct NewVerbTests {
    private let folder: TemporaryDirectory
    private var shell: Shell { Shell(folder: folder.path) }

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    /// Python needs no build, so each is made, and all are bundled and linted: each in its own app.
    @Test func everyPointHasAnExtensionWithoutFaultsInPython() async throws {
        defer { try? folder.remove() }
        let points = PointTable().points.map(\.identifier)
        #expect(points.count > 30)
        let lines = points.enumerated().map {
            "exthostctl new \($1) Made\($0) --language python --anyway -q || echo failed \($1)\n"
        }
        let ending = try await shell.run(lines.joined() + "exthostctl bundle -q --release")
        #expect(ending.status == 0 && ending.output.isEmpty, "\(ending.output)")
        let kit = try String(contentsOfFile: folder.path + "/Made0/Made0/exthost.py", encoding: .utf8)
        #expect(kit == (try TestBundles.source("Sources/Samples/Python/exthost.py")))
        for number in points.indices {
            let bundle = "\(folder.path)/.build/bundles/Made\(number)App.app/PlugIns/Made\(number).appex"
            #expect(FileManager.default.fileExists(atPath: bundle + "/made\(number).py"))
        }
    }

    /// Each Swift package of `new` has one of these shapes. AuthorTests builds one of them, and with --long all.
    @Test(arguments: [
        ("share-services", "WordsController.swift", "Social"),
        ("com.apple.ui-services", "WordsController.swift", "UIKit"),
        ("'action without interface'", "RequestHandler.swift", "ExtensionFoundation"),
        ("services --page-script", "RequestHandler.swift", "ExtensionFoundation"),
        ("share-services --transfers", "WordsController.swift", "Social"),
        ("widget-extension", "WordsController.swift", "NotificationCenter"),
        ("usernotifications.service", "NotificationService.swift", "UserNotifications"),
        ("usernotifications.content-extension", "NotificationViewController.swift", "UserNotificationsUI"),
        ("content-blocker", "ContentBlockerRequestHandler.swift", "SafariServices"),
        ("sharedlinks-service", "RequestHandler.swift", "SafariServices"),
        ("spotlight.index", "IndexRequestHandler.swift", "CoreSpotlight"),
        ("fileprovider-nonui", "FileProviderExtension.swift", "FileProvider"),
        ("com.apple.AudioUnit", "AudioUnitFactory.swift", "AudioToolbox"),
        ("AudioUnit-UI", "AudioUnitViewController.swift", "CoreAudioKit"),
        ("fileprovider-ui", "DocumentPickerViewController.swift", "UIKit"),
        ("fileprovider-actionsui", "DocumentActionViewController.swift", "FileProviderUI"),
        ("filter-data", "FilterDataProvider.swift", "NetworkExtension"),
        ("filter-control", "FilterControlProvider.swift", "NetworkExtension"),
        ("app-proxy", "AppProxyProvider.swift", "NetworkExtension"),
        ("dns-proxy", "DNSProxyProvider.swift", "NetworkExtension"),
        ("message-filter", "MessageFilterExtension.swift", "IdentityLookup"),
        ("classification-ui", "UnwantedCommunicationReportingExtension.swift", "IdentityLookupUI"),
        ("intents-service", "IntentHandler.swift", "Intents"),
        ("intents-ui-service", "IntentViewController.swift", "IntentsUI"),
        ("'credential provider'", "CredentialProviderViewController.swift", "AuthenticationServices"),
        ("call-directory", "CallDirectoryHandler.swift", "CallKit"),
        ("message-payload-provider", "MessagesViewController.swift", "Messages"),
        ("broadcast-services-upload", "SampleHandler.swift", "ReplayKit"),
        ("broadcast-services-setupui", "BroadcastSetupViewController.swift", "ReplayKit"),
    ])
    func aSwiftPackageHasTheShapeOfItsPoint(point: String, source: String, module: String) async throws {
        defer { try? folder.remove() }
        let ending = try await shell.run("exthostctl new \(point) Words --json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
        let files = try #require(document["files"] as? [String])
        #expect(ending.status == 0 && files.contains("Sources/Words/\(source)"))
        for file in files { #expect(FileManager.default.fileExists(atPath: "\(folder.path)/Words/\(file)"), "\(file)") }
        let text = try String(contentsOfFile: "\(folder.path)/Words/Sources/Words/\(source)", encoding: .utf8)
        #expect(text.contains("import \(module)\n"))
        if point.hasSuffix("--page-script") {
            #expect(Set(["page.html", "Words.scenario", "Sources/Words/Action.js"]).isSubset(of: files))
        }
        let manifest = try String(contentsOfFile: "\(folder.path)/Words/Package.swift", encoding: .utf8)
        #expect(manifest.contains("?? \"\(SampleApplications.root)\""))
        let isLinked = point.hasSuffix("--transfers")
        #expect(manifest.components(separatedBy: "\"BackgroundTransfers\"").count == (isLinked ? 3 : 1))
        let entitlements = try String(
            contentsOfFile: "\(folder.path)/Words/Sources/Words/Entitlements.plist", encoding: .utf8)
        // A filter's data provider has no network, and other network extensions have it.
        let isClient = isLinked || ["filter-control", "app-proxy", "dns-proxy"].contains(point)
        #expect(entitlements.contains("com.apple.security.network.client") == isClient)
        // A control provider has its data provider beside it, in the same group.
        #expect(files.contains("Sources/WordsData/FilterDataProvider.swift") == (point == "filter-control"))
        // As everything here is written.
        let lint = try await shell.run(
            "swift format lint --strict --configuration '\(SampleApplications.root)/.swift-format' -r Words")
        #expect(lint.status == 0, "\(lint.output)")
    }

    /// Of 7 points only the process is simulated; what is made for the others says what it is.
    @Test func pointsThatAreOnlyProcessesAreRefusedUnlessAnywayAndTheOthersSayWhatTheyAre() async throws {
        defer { try? folder.remove() }
        let refused = PointTable().points.filter {
            $0.identifier != "com.apple.services" && $0.identifier != "com.apple.ui-services" && $0.framework == nil
        }
        .map(\.identifier).filter { $0 != "com.apple.share-services" }
        .filter { !$0.hasSuffix("content-blocker") && !$0.hasSuffix("sharedlinks-service") }
        #expect(refused.count == 7)
        let lines = refused.enumerated().map { "exthostctl new \($1) Made\($0) && echo made \($1)\n" }
        let ending = try await shell.run(lines.joined() + "true")
        #expect(!ending.output.contains("made ") && !ending.output.contains("Made"), "\(ending)")
        for point in refused { #expect(ending.output.contains("exthostctl: of \(point) ("), "\(point)") }
        #expect(
            ending.output.split(separator: "\n").allSatisfy {
                $0.hasSuffix("with --anyway, the extension receives items as at the first two")
            })
        let anyway = try await shell.run("exthostctl new FinderSync Keys --anyway")
        #expect(
            anyway.status == 0
                && anyway.output.contains("the calls of the framework of Finder Sync (com.apple.FinderSync) are not")
        )
        for (point, summary) in [
            ("share-services", "a compose sheet that counts"), ("action", "a view that counts"),
            ("services", "a handler without an interface"), ("widget-extension", "a widget that counts"),
            ("usernotifications.service", "a service that adds"),
            ("usernotifications.content-extension", "a view of a notification with"),
            ("keyboard-service", "a keyboard with the letters"), ("content-blocker", "a content blocker with a list"),
            ("sharedlinks-service", "a handler that shares a link"),
            ("spotlight.index", "an index of three notes"),
            ("fileprovider-nonui", "a file provider with one file"),
            ("fileprovider-ui", "a document picker with one document"),
            ("fileprovider-actionsui", "an action of a file provider with a view"),
            ("packet-tunnel", "a packet tunnel that answers pings"), ("filter-data", "a network filter that refuses"),
            ("filter-control", "a control provider that writes rules"),
            ("app-proxy", "an app proxy that answers"), ("dns-proxy", "a DNS proxy that answers"),
            ("message-filter", "a message filter that knows a word"),
            ("classification-ui", "a view in which a person reports"),
            ("'credential provider'", "a credential provider with one password"),
            ("broadcast-services-upload", "an upload of a broadcast that counts"),
            ("call-directory", "a call directory that blocks a number"),
            ("message-payload-provider", "an iMessage app that puts"),
            ("intents-service", "an intents extension that sends messages"),
        ] {
            let made = try await shell.run("exthostctl new \(point) Words && rm -r Words")
            #expect(made.status == 0 && made.output.contains("exthostctl: Words is \(summary)"), "\(made)")
        }
    }

    /// A point of one's own has no framework that could be missing.
    @Test func aPointOfOnesOwnIsNotRefused() async throws {
        defer { try? folder.remove() }
        let text =
            "<plist><dict><key>Identifier</key><string>org.example.stamp</string><key>Interface</key><false/></dict></plist>"
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/stamp.plist"))
        let made = try await shell.run(
            "EXTHOST_EXTENSION_POINTS='\(folder.path)' exthostctl new stamp Words --language python")
        #expect(made.status == 0 && made.output.contains("for org.example.stamp (org.example.stamp)"), "\(made)")
    }

    @Test func aPythonExtensionPassesTheMatrix() async throws {
        defer { try? folder.remove() }
        let ending = try await shell.run(
            "exthostctl new services Words --language python -q && exthostctl test --matrix ./Words --text 'hello brave world'"
        )
        #expect(
            ending.status == 0 && !ending.output.contains("not ok") && ending.output.contains("ok 12 - "), "\(ending)")
    }

    /// The end of the process is waited for, so that the second answer is in the log.
    @Test func aSecondAnswerIsSaidBelowTheOutcome() async throws {
        defer { try? folder.remove() }
        let made = try await shell.run(
            "exthostctl new services Words --language python -q "
                + "&& sed -i 's/^\\( *\\)context.complete(.*$/&\\n\\1context.complete()/' Words/Words/words.py")
        try #require(made.status == 0, "\(made)")
        let ending = try await shell.run("exthostctl run ./Words --text 'hello brave world' --wait-exit")
        let fault =
            "  misused: complete on a finished context was ignored (E_CONTEXT_FINISHED)\n    Answer each request once"
        let places = [
            ending.output.range(of: "completed: org"), ending.output.range(of: fault),
            ending.output.range(of: "\ntimeline\n"),
        ]
        .compactMap { $0?.lowerBound }
        #expect(ending.status == 0 && places.count == 3 && places == places.sorted(), "\(ending)")
    }

    @Test func nothingIsOverwrittenAndNamesAreChecked() async throws {
        defer { try? folder.remove() }
        try FileManager.default.createDirectory(atPath: folder.path + "/Taken", withIntermediateDirectories: false)
        let there = try await shell.run("exthostctl new share-services Taken")
        #expect(there.status == 64 && there.output.contains("there is already a \(folder.path)/Taken"), "\(there)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/Taken").isEmpty)
        for (arguments, status, words) in [
            ("share-services 9lives", 64, "cannot be a module's name"),
            ("share-services ../Up", 64, "cannot be a module's name"),
            ("share-services UIKit", 64, "is the name of an existing module"),
            ("share-services Tests", 64, "is the name of an existing module"),
            ("share-services Class", 64, "a word of the language"),
            ("share-services Socket --language python", 64, "is the name of an existing module"),
            ("sharing Words", 66, "there is no extension point sharing"),
            ("share-services Words --identifier words", 64, "is not an app's identifier"),
            ("share-services Words --package /nonexistent", 66, "there is no package"),
            ("share-services Words --package https://example.org/exthost", 64, "names no version"),
            ("services Words --transfers --language python", 64, "background sessions have no interface in python"),
            ("share-services Words --page-script", 64, "there is no template with a page's script"),
            ("share-services Words --language perl", 64, "is not a supported language"),
        ] as [(String, Int32, String)] {
            let ending = try await shell.run("exthostctl new \(arguments)")
            #expect(ending.status == status && ending.output.contains(words), "\(arguments): \(ending)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Taken"])
        let remote = try await shell.run(
            "exthostctl new share-services Far --package https://example.org/exthost@1.2.3 -q")
        let manifest = try String(contentsOfFile: folder.path + "/Far/Package.swift", encoding: .utf8)
        #expect(
            remote.status == 0 && manifest.contains(".package(url: \"https://example.org/exthost\", from: \"1.2.3\")"))
        // A manifest names this machine's folder, and any other by EXTHOST.
        let near = try await shell.run("exthostctl new share-services Near -q && cd Near")
        try #require(near.status == 0, "\(near)")
        for (place, words) in [
            ("", SampleApplications.root), ("EXTHOST= ", SampleApplications.root),
            ("EXTHOST=https://example.org/exthost ", "example.org/exthost"),
            ("EXTHOST=https://example.org/kits/host-kit.git ", "\"host-kit\""),
        ] {
            let read = try await shell.run("cd Near && \(place)swift package dump-package")
            #expect(read.status == 0 && read.output.replacing("\\/", with: "/").contains(words), "\(place): \(read)")
        }
        let other = try await shell.run(
            "exthostctl new share-services Away --package https://example.org/kit.git@1.2.3 -q")
        // As one that is installed: it lies in no package.
        try FileManager.default.copyItem(
            atPath: SampleApplications.buildFolder + "/exthostctl", toPath: folder.path + "/installed")
        try waitForWriters(of: folder.path + "/installed")
        for (place, status, words) in [
            ("", 64, "Set EXTHOST"), ("EXTHOST=/nonexistent ", 66, "there is no package with ExtensionFoundation"),
            ("EXTHOST=https://example.org/exthost ", 0, ""), ("EXTHOST='\(SampleApplications.root)' ", 0, ""),
        ] as [(String, Int32, String)] {
            let made = try await shell.run("rm -rf Own && \(place)./installed new share-services Own -q")
            #expect(made.status == status && (words.isEmpty || made.output.contains(words)), "\(place): \(made)")
        }
        let kit = try String(contentsOfFile: folder.path + "/Away/Package.swift", encoding: .utf8)
        #expect(other.status == 0 && kit.contains("package: \"kit\"") && !kit.contains("package: \"exthost\""))
    }
}
