// SwiftTemplate: the files of a new package in Swift.

import ExtensionPoints

struct SwiftTemplate {
    let project: NewProject

    enum Kind {
        case sheet, view, handler, page, widget, service, keyboard, editor, blocker, links, index, picker, actions,
            provider, effect, effectView, tunnel
    }

    /// The kind of template. Only Share has a compose sheet (spec 4.2).
    var kind: Kind {
        if project.hasPageScript { return .page }
        if project.point.identifier == "com.apple.share-services" { return .sheet }
        if project.point.framework == "NotificationCenter" { return .widget }
        if project.point.framework == "UserNotifications" { return .service }
        if project.point.framework == "KeyboardService" { return .keyboard }
        if project.point.framework == "PhotosUI" { return .editor }
        if project.point.framework == "CoreSpotlight" { return .index }
        if project.point.framework == "DocumentPickerService" { return .picker }
        if project.point.framework == "FileProviderUI" { return .actions }
        if project.point.framework == "FileProvider" { return .provider }
        if project.point.framework == "AudioToolbox" { return .effect }
        if project.point.framework == "CoreAudioKit" { return .effectView }
        if project.point.identifier == "com.apple.networkextension.packet-tunnel" { return .tunnel }
        if project.point.identifier == "com.apple.Safari.content-blocker" { return .blocker }
        if project.point.identifier == "com.apple.Safari.sharedlinks-service" { return .links }
        return project.point.hasInterface ? .view : .handler
    }

    var summary: String {
        switch kind {
        case .sheet: "a compose sheet that counts the words of its text"
        case .view: "a view that counts the words of a text, with a button"
        case .handler: "a handler without an interface that counts the words of a text"
        case .page: "a handler and a script that count the words of a web page"
        case .widget: "a widget that counts the words of a text of its app"
        case .service: "a service that adds the number of words to a notification"
        case .keyboard: "a keyboard with the letters of the Latin alphabet"
        case .editor: "an editor that makes a negative of a photo"
        case .blocker: "a content blocker with a list of two rules"
        case .links: "a handler that shares a link"
        case .index: "an index of three notes"
        case .picker: "a document picker with one document"
        case .actions: "an action of a file provider with a view"
        case .provider: "a file provider with one file"
        case .effect: "an audio unit that changes the volume"
        case .effectView: "an audio unit that changes the volume, with a view"
        case .tunnel: "a packet tunnel that answers pings"
        }
    }

    /// The name of the test of a session of a host half.
    private var testName: String {
        switch kind {
        case .keyboard: "wordsAreTyped"
        case .editor: "thePhotoBecomesANegative"
        case .blocker: "bannersAreBlocked"
        case .links: "aLinkIsShared"
        case .index: "aNoteIsFound"
        case .picker: "aDocumentIsPicked"
        case .actions: "anActionIsPerformed"
        case .provider: "aFileIsReadAndWritten"
        case .effect, .effectView: "theVolumeChanges"
        case .tunnel: "aPingIsAnswered"
        default: "wordsAreCounted"
        }
    }

    /// Whether the session at the point is that of a host half, which no scenario describes.
    private var hasHostHalf: Bool {
        switch kind {
        case .sheet, .view, .handler: false
        case .page, .widget, .service, .keyboard, .editor, .blocker, .links, .index, .picker, .actions, .provider,
            .effect, .effectView, .tunnel:
            true
        }
    }

    var name: String { project.name }
    var className: String {
        switch kind {
        case .handler, .page, .links: "RequestHandler"
        case .blocker: "ContentBlockerRequestHandler"
        case .service: "NotificationService"
        case .index: "IndexRequestHandler"
        case .picker: "DocumentPickerViewController"
        case .actions: "DocumentActionViewController"
        case .provider: "FileProviderExtension"
        case .effect: "AudioUnitFactory"
        case .effectView: "AudioUnitViewController"
        case .tunnel: "PacketTunnelProvider"
        case .keyboard: "KeyboardViewController"
        case .editor: "EditingController"
        case .sheet, .view, .widget: "WordsController"
        }
    }

    var files: [NewProject.File] {
        let sources = "Sources/\(name)"
        let app = "Sources/\(name)App"
        return [
            .init(path: "Package.swift", text: manifest),
            .init(path: ".gitignore", text: ".build\n"),
            .init(path: "README.md", text: readMe),
            .init(path: "\(app)/\(name)App.swift", text: appSource),
            .init(
                path: "\(app)/Info.plist",
                text: project.information(
                    of: name, identifier: project.identifier, executable: "$(EXECUTABLE_NAME)", declaration: "")),
            .init(path: "\(app)/Entitlements.plist", text: project.entitlements()),
            .init(path: "\(sources)/\(className).swift", text: source),
            .init(path: "\(sources)/\(EntryPoint.fileName)", text: EntryPoint.text),
            .init(
                path: "\(sources)/Info.plist",
                text: project.information(
                    of: name, identifier: project.extensionIdentifier, executable: "$(EXECUTABLE_NAME)",
                    declaration: project.declaration(principalClass: "$(PRODUCT_MODULE_NAME).\(className)"))),
            .init(
                path: "\(sources)/Entitlements.plist",
                text: project.entitlements(
                    isNetworkClient: project.hasTransfers || kind == .tunnel,
                    networkExtension: kind == .tunnel ? "packet-tunnel-provider" : nil)),
            .init(path: "Tests/\(name)Tests/\(name)Tests.swift", text: test),
        ] + (hasHostHalf ? [] : [project.scenario(acts: sceneActs)])
            + resources.map { .init(path: "\(sources)/\($0.name)", text: $0.text) }
            + (kind == .page ? [.init(path: "page.html", text: Self.webPage), project.pageScenario] : [])
    }

    /// The files that go into the extension's bundle beside those of each extension.
    private var resources: [(name: String, text: String)] {
        switch kind {
        case .blocker: [("blockerList.json", Self.blockerList)]
        case .page: [("Action.js", Self.pageScript)]
        default: []
        }
    }

    private var modules: [String] {
        switch kind {
        case .sheet: ["Social", "UIKit"]
        case .view: ["UIKit", "UniformTypeIdentifiers"]
        case .handler, .page: ["ExtensionFoundation", "UniformTypeIdentifiers"]
        case .widget: ["NotificationCenter", "UIKit"]
        case .service: ["ExtensionFoundation", "UserNotifications"]
        case .keyboard: ["KeyboardService", "UIKit"]
        case .editor: ["PhotosUI", "UIKit"]
        case .blocker, .links: ["ExtensionFoundation", "SafariServices"]
        case .index: ["CoreSpotlight", "ExtensionFoundation"]
        case .picker: ["DocumentPickerService", "UIKit"]
        case .actions: ["ExtensionFoundation", "FileProviderUI", "UIKit"]
        case .provider: ["ExtensionFoundation", "FileProvider"]
        case .effect: ["AVFoundation", "AudioToolbox", "ExtensionFoundation"]
        case .effectView: ["AVFoundation", "CoreAudioKit", "ExtensionFoundation"]
        case .tunnel: ["ExtensionFoundation", "NetworkExtension"]
        }
    }

    private var manifest: String {
        let kit =
            switch project.kit {
            case .folder: "exthostPackage"
            case .repository(let url, let version): ".package(url: \"\(url)\", from: \"\(version)\")"
            case nil: ""
            }
        let place =
            if case .folder(let path) = project.kit {
                """
                /// The package of exthostd: an absolute folder, or an address with "://". EXTHOST overrides this
                /// machine's.
                let exthost = Context.environment["EXTHOST"].flatMap { $0.isEmpty ? nil : $0 } ?? "\(path)"
                /// The name of that package, which for a repository is the end of its address.
                let kit =
                    exthost.contains("://")
                    ? String(exthost.split(separator: "/").last ?? "").replacing(".git", with: "") : "exthost"
                let exthostPackage: Package.Dependency =
                    exthost.contains("://") ? .package(url: exthost, branch: "main") : .package(name: "exthost", path: exthost)


                """
            } else {
                ""
            }
        let kitName = if case .folder = project.kit { "kit" } else { "\"\(project.kitName)\"" }
        let testing = ".product(name: \"ExtensionHostTesting\", package: \(kitName))"
        let hosts = ".product(name: \"PointHosts\", package: \(kitName))"
        let testProducts =
            hasHostHalf
            ? """

                        dependencies: [
                            \(testing),
                            \(hosts),
                        ]
            """ : " dependencies: [\(testing)]"
        func products(_ modules: [String]) -> String {
            modules.map { "                .product(name: \"\($0)\", package: \(kitName)),\n" }.joined()
        }
        let transfers = project.hasTransfers ? ["BackgroundTransfers"] : []
        let ofApp =
            project.hasTransfers
            ? """

                        dependencies: [
            \(products(transfers + ["UIKit"]))            ],
                        exclude: bundled
            """ : " dependencies: [.product(name: \"UIKit\", package: \(kitName))], exclude: bundled"
        return """
            // swift-tools-version: 6.2
            // \(name): an app with an extension (\(project.point.name)).

            import PackageDescription

            /// The files that exthostctl bundle reads beside the sources.
            let bundled = ["Info.plist", "Entitlements.plist"]

            \(place)let package = Package(
                name: "\(name)",
                dependencies: [\(kit)],
                targets: [
                    .executableTarget(
                        name: "\(name)App",\(ofApp)),
                    .executableTarget(
                        name: "\(name)",
                        dependencies: [
            \(products(transfers + modules))            ],
                        exclude: bundled\(resources.map { " + [\"\($0.name)\"]" }.joined())),
                    .testTarget(
                        name: "\(name)Tests",\(testProducts)),
                ])

            """
    }

    private var appSource: String {
        """
        // \(name)App: the app that brings the extension along. It shows what the extension has left in their group.

        import UIKit

        @main final class \(name)App: UIResponder, UIApplicationDelegate {
            func applicationDidBecomeActive(_ application: UIApplication) {
                guard let defaults = UserDefaults(suiteName: "group.\(project.identifier)") else { return print("no group") }
                print("words counted last:", defaults.integer(forKey: "words"))
            }
        }

        """
    }

    // MARK: Test and page

    /// The actions of a user in the view.
    private var acts: String {
        switch kind {
        case .sheet:
            """

                        try await request.use(.setText("hello brave world"))
                        try await request.use(.post)
            """
        case .view:
            """

                        _ = await request.view { $0["Done"]?.isEnabled == true }
                        try await request.use(.tap("Done"))
            """
        case .handler, .page, .widget, .service, .keyboard, .editor, .blocker, .links, .index, .picker, .actions,
            .provider, .effect, .effectView, .tunnel:
            ""
        }
    }

    /// The same actions in a scenario.
    private var sceneActs: [String] {
        switch kind {
        case .sheet: ["view text hello brave world", "view post"]
        case .view: ["view tap Done"]
        case .handler, .page, .widget, .service, .keyboard, .editor, .blocker, .links, .index, .picker, .actions,
            .provider, .effect, .effectView, .tunnel:
            []
        }
    }

    private var test: String { hasHostHalf ? hostHalfTest : requestTest }

    /// A JPEG file of 8 by 8 black pixels, in base64.
    private static let blackPhoto =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1R"
        + "V19iZ2hnPk1xeXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAB//EABQQAQAAAAAAAAAAAAAAAAAA"
        + "AAD/2gAIAQEAAD8AP3//2Q=="

    private static let blockerList = """
        [
            {
                "trigger": {"url-filter": "^https?://ads\\\\.", "resource-type": ["image", "script"]},
                "action": {"type": "block"}
            },
            {
                "trigger": {"url-filter": ".*"},
                "action": {"type": "css-display-none", "selector": ".banner"}
            }
        ]

        """

    private static let webPage = """
        <!DOCTYPE html>
        <html>
        <head><title>Greeting</title></head>
        <body><p>hello brave world</p></body>
        </html>

        """

    private static let pageScript = """
        // Action: the script that a browser runs in a shared page, before the request and after it.

        var Action = function () {};

        Action.prototype = {
            run: function (parameters) {
                parameters.completionFunction({"address": document.baseURI, "text": document.body.textContent});
            },
            finalize: function (parameters) {
                var line = document.createElement("p");
                line.textContent = parameters["words"] + " words";
                document.body.insertBefore(line, document.body.firstChild);
            }
        };

        var ExtensionPreprocessingJS = new Action();

        """

    private var hostHalfTest: String {
        let session =
            switch kind {
            case .editor:
                """
                            let folder = FileManager.default.temporaryDirectory.path + "/\(name)-\\(UUID().uuidString)"
                            defer { try? FileManager.default.removeItem(atPath: folder) }
                            let library = try AssetLibrary(folder: folder)
                            // A photo of 8 by 8 black pixels.
                            let photo = try #require(
                                Data(
                                    base64Encoded:
                                        "\(Self.blackPhoto)"
                                ))
                            try photo.write(to: URL(fileURLWithPath: folder + "/photo.jpg"))
                            let asset = try library.add(folder + "/photo.jpg")
                            let photos = PhotoEditingHost(host.application, library: library)
                            let session = try await photos.begin("\(project.extensionIdentifier)", editing: asset.id)
                            #expect(try await session.finish() != nil)
                            let edited = try library.asset(asset.id)
                            #expect(edited.adjustment?.formatIdentifier == "\(project.identifier).negative")
                            #expect(try await photos.changedPixels(of: edited).changed == 64)
                """
            case .widget:
                """
                            let update = try await TodayHost(host.application).update("\(project.extensionIdentifier)")
                            #expect(update.result == .newData)
                            #expect(update.snapshot?.view["words"]?.text == "3 words")
                """
            case .keyboard:
                """
                            let field = KeyboardHost(
                                host.application, keyboard: "\(project.extensionIdentifier)", text: "Oh ")
                            await field.focus()
                            try await field.type("hello world")
                            #expect(await field.text == "Oh hello world")
                """
            case .blocker:
                """
                            let rules = try await ContentBlockerHost(host.application).reload(
                                "\(project.extensionIdentifier)")
                            let banner = try ContentLoad(
                                url: "https://ads.example.com/banner.png", page: "https://example.org/", type: .image)
                            #expect(try rules.decision(for: banner).blocked == 1)
                            let page = try ContentLoad(url: "https://example.org/")
                            #expect(try rules.decision(for: page).hidden.map(\\.selector) == [".banner"])
                """
            case .page:
                """
                            let url = try #require(URL(string: "https://example.org/"))
                            let page = try await WebPage.open(html: "<p>hello brave world</p>", url: url)
                            let share = try await host.application.begin(
                                "\(project.extensionIdentifier)", page: page)
                            let ending = await share.ending
                            #expect(ending.finalized == 1 && ending.failures.isEmpty)
                            #expect(try await page.html.contains("<p>3 words</p>"))
                """
            case .effect, .effectView:
                """
                            let units = AudioUnitHost(host.application)
                            let component = try await units.components(of: "\(project.extensionIdentifier)")[0]
                            let unit = try await units.instantiate(component)
                            let gain = try #require(unit.parameter("gain"))
                            try await unit.set(gain, to: 0.25)
                            try await unit.allocate()
                            let block = try await unit.render(2, input: [[0.5, -1], [0, 1]])
                            #expect(block.channels == [[0.125, -0.25], [0, 0.25]])
                            try await unit.end()
                """
            case .index:
                """
                            let spotlight = try SpotlightHost(host.application, store: nil)
                            try await spotlight.serve()
                            let report = try await spotlight.reindexAll("\(project.extensionIdentifier)")
                            #expect(report.ending == .acknowledged && report.effect.added == 3)
                            #expect(try await spotlight.search("coff").map(\\.identifier) == ["1"])
                """
            case .picker:
                """
                            let pickers = DocumentPickerHost(
                                host.application, groupContainers: daemon.groupContainers)
                            let session = try await pickers.begin(
                                "\(project.extensionIdentifier)", .import(["public.plain-text"]))
                            _ = await session.request.view { $0["Welcome.txt"] != nil }
                            try await session.use(.tap("Welcome.txt"))
                            guard case .imported(let document)? = try await session.document() else {
                                Issue.record("no document was picked")
                                return
                            }
                            #expect(try String(contentsOf: document.url, encoding: .utf8) == "Welcome\\n")
                """
            case .actions:
                """
                            let files = FileActionsHost(host.application)
                            let items = [FileActionsHost.Item("1", ["filename": "notes.txt"])]
                            #expect(try await files.actions(for: items).map(\\.name) == ["Describe"])
                            let session = try await files.perform(
                                "\(project.extensionIdentifier).describe", of: "\(project.extensionIdentifier)", on: items)
                            _ = await session.request.view { $0["Done"] != nil }
                            try await session.use(.tap("Done"))
                            guard case .completed = await session.ending else {
                                Issue.record("the action is not completed")
                                return
                            }
                """
            case .provider:
                """
                            let provider = try FileProviderHost(
                                host.application, store: nil, groupContainers: daemon.groupContainers)
                            let files = try await provider.files(of: "\(project.extensionIdentifier)")
                            let file = try await files.item(named: "Welcome.txt", in: files.root)
                            #expect(file.size == 8)
                            try await files.write(file.identifier) { descriptor in
                                try FileHandle(fileDescriptor: descriptor).write(contentsOf: Data("Changed\\n".utf8))
                            }
                            let text = try await files.read(file.identifier) { descriptor in
                                try FileHandle(fileDescriptor: descriptor).readToEnd()
                            }
                            #expect(text == Data("Changed\\n".utf8))
                            await provider.close()
                """
            case .tunnel:
                """
                            let tunnel = TunnelHost(host.application)
                            try await tunnel.start(provider: "\(project.extensionIdentifier)")
                            let (answers, continuation) = AsyncStream<[[UInt8]]>.makeStream()
                            tunnel.packets.onPackets { continuation.yield($0) }
                            let ping = try #require(
                                InternetPacket.echoRequest(
                                    from: "10.8.0.2", to: "10.8.0.1", identifier: 1, sequence: 1, data: [1, 2]))
                            tunnel.packets.send([ping])
                            var replies = answers.makeAsyncIterator()
                            let reply = try #require(await replies.next()?.first)
                            // An echo reply.
                            #expect(InternetPacket.payload(of: reply)?.bytes.first == 0)
                            await tunnel.stop()
                """
            case .links:
                """
                            let links = try await SharedLinksHost(host.application).links(
                                of: "\(project.extensionIdentifier)")
                            #expect(links.links.map(\\.title) == ["Sample title"])
                """
            default:
                """
                            let payload = #"{"aps": {"alert": {"body": "hello brave world"}, "mutable-content": 1}}"#
                            let result = try await NotificationHost(host.application).push(
                                Data(payload.utf8), to: "\(project.extensionIdentifier)")
                            #expect(result.shown?.subtitle == "3 words")
                """
            }
        return """
            // \(name)Tests: the extension in its app, run by a daemon of the test's own.

            import ExtensionHostTesting
            import Foundation
            import PointHosts
            import Testing

            @Suite struct \(name)Tests {
                @Test func \(testName)() async throws {
                    // The app is bundled first, from the programs that swift test has built.
                    try await withTestDaemon(package: #filePath) { daemon in
                        let host = try await daemon.host("tests")
            \(session)
                    }
                }
            }

            """
    }

    private var requestTest: String {
        """
        // \(name)Tests: the extension in its app, run by a daemon of the test's own.

        import ExtensionHostTesting
        import Foundation
        import Testing

        @Suite struct \(name)Tests {
            @Test func wordsAreCounted() async throws {
                // The app is bundled first, from the programs that swift test has built.
                try await withTestDaemon(package: #filePath) { daemon in
                    let host = try await daemon.host("tests")
                    let request = try await host.begin("\(project.extensionIdentifier)", items: [.text("hello brave world")])\(acts)
                    guard case .completed(let items) = await request.outcome else {
                        Issue.record("\\(await request.outcome)")
                        return
                    }
                    #expect(items.first?.userInfo?["words"] as? Int == 3)
                }
            }
        }

        """
    }

    private var readMe: String {
        let run =
            switch kind {
            case .sheet: "exthostctl run . --text x --act 'text hello brave world' --act post"
            case .view: "exthostctl run . \(project.payload) --tap Done"
            case .handler: "exthostctl run . \(project.payload)"
            case .page: "exthostctl run . --page https://example.org/ --page-html page.html"
            case .widget, .service, .links: "exthostctl run ."
            case .index: "exthostctl run . --search coffee"
            case .picker: "exthostctl run . --mode import --tap Welcome.txt"
            case .provider: "exthostctl run . --cat /Welcome.txt"
            case .effect, .effectView: "exthostctl run . --audio in.wav --out out.wav --set gain=0.5"
            case .tunnel: "exthostctl run ."
            case .actions: "exthostctl run . --action \(project.extensionIdentifier).describe --tap Done"
            case .blocker: "exthostctl run . --load https://ads.example.com/banner.png --page https://example.org/"
            case .keyboard: "exthostctl run . --type 'hello world'"
            case .editor: "exthostctl run . --photo in.jpg --out out.jpg"
            }
        let scenario =
            hasHostHalf && kind != .page
            ? (line: "", sentence: "", row: "")
            : (
                line: "$ exthostctl test \(name).scenario\n",
                sentence: " `exthostctl test` runs the scenario and checks its expectations.",
                row: "| `\(name).scenario` | its tests, line by line |\n"
            )
        return """
            # \(name)

            An app with an extension: \(project.summary).

            ```console
            $ \(run)
            \(scenario.line)$ swift test
            $ exthostctl bundle --release
            ```

            The first command builds, bundles and runs the extension, and prints all events.\(scenario.sentence)
            `exthostctl`, `exthostd` and `exthost-init` must be on the `PATH`.

            | file | what it is |
            | --- | --- |
            | `Sources/\(name)` | the extension: its class, its entry point, `Info.plist` and entitlements |
            | `Sources/\(name)App` | the app that contains it |
            \(scenario.row)| `Tests` | a test in Swift that runs it |

            """
    }
}
