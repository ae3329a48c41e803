// SwiftTemplate: the files of a new package in Swift.

import ExtensionPoints

struct SwiftTemplate {
    let project: NewProject

    /// The parts of a template: what differs between extension points.
    struct Parts {
        /// The template, as text for people.
        let summary: String
        let className: String
        /// The modules of the kit that the extension is linked with.
        let modules: [String]
        /// The command that tries the extension.
        let run: String
        /// The source of the extension.
        var source = ""
        /// The name of the test.
        var test = "wordsAreCounted"
        /// The body of a test with the host half of the point. Without one, the test begins a request.
        var session: String?
        /// The actions of a user in the view, in the test and in the scenario.
        var acts = ""
        var sceneActs: [String] = []
        /// The files that go into the extension's bundle beside those of each extension.
        var resources: [(name: String, text: String)] = []
        /// The right to be such a network extension.
        var entitlement: String?
        var isNetworkClient = false
        /// Another extension of the app, which works together with this one.
        var companion: Companion?

        init(_ summary: String, className: String, modules: [String], run: String) {
            (self.summary, self.className, self.modules, self.run) = (summary, className, modules, run)
        }
    }

    /// An extension that a package has beside the one that was asked for.
    struct Companion {
        /// The end of the target's name, after the project's.
        let suffix: String
        let identifier: String
        /// The identifier of its extension point.
        let point: String
        let className: String
        let entitlement: String
        let source: String
    }

    /// The templates of single points, by the identifiers of the points.
    static let ofPoints: [String: @Sendable (SwiftTemplate) -> Parts] = [
        "com.apple.AudioUnit": { $0.effect },
        "com.apple.AudioUnit-UI": { $0.effectView },
        "com.apple.Safari.content-blocker": { $0.blocker },
        "com.apple.Safari.sharedlinks-service": { $0.links },
        "com.apple.authentication-services-credential-provider-ui": { $0.credentials },
        "com.apple.broadcast-services-setupui": { $0.broadcastSetup },
        "com.apple.broadcast-services-upload": { $0.upload },
        "com.apple.callkit.call-directory": { $0.directory },
        "com.apple.fileprovider-actionsui": { $0.actions },
        "com.apple.fileprovider-nonui": { $0.provider },
        "com.apple.fileprovider-ui": { $0.picker },
        "com.apple.identitylookup.classification-ui": { $0.report },
        "com.apple.identitylookup.message-filter": { $0.messageFilter },
        "com.apple.intents-service": { $0.intents },
        "com.apple.intents-ui-service": { $0.intentView },
        "com.apple.keyboard-service": { $0.keyboard },
        "com.apple.message-payload-provider": { $0.messagesApp },
        "com.apple.networkextension.app-proxy": { $0.appProxy },
        "com.apple.networkextension.dns-proxy": { $0.dnsProxy },
        "com.apple.networkextension.filter-control": { $0.controlledFilter },
        "com.apple.networkextension.filter-data": { $0.filter },
        "com.apple.networkextension.packet-tunnel": { $0.tunnel },
        "com.apple.photo-editing": { $0.editor },
        "com.apple.quicklook.preview": { $0.preview },
        "com.apple.quicklook.thumbnail": { $0.thumbnail },
        "com.apple.share-services": { $0.sheet },
        "com.apple.spotlight.import": { $0.importer },
        "com.apple.spotlight.index": { $0.index },
        "com.apple.usernotifications.content-extension": { $0.notification },
        "com.apple.usernotifications.service": { $0.service },
        "com.apple.widget-extension": { $0.widget },
    ]

    var parts: Parts {
        if project.hasPageScript { return page }
        if let template = Self.ofPoints[project.point.identifier] { return template(self) }
        return project.point.hasInterface ? view : handler
    }

    var summary: String { parts.summary }

    /// Whether the session at the point is that of a host half, which no scenario describes.
    private var hasHostHalf: Bool { parts.session != nil }

    var name: String { project.name }
    var className: String { parts.className }

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
            .init(path: "\(sources)/\(className).swift", text: parts.source),
            .init(path: "\(sources)/\(EntryPoint.fileName)", text: EntryPoint.text),
            .init(
                path: "\(sources)/Info.plist",
                text: project.information(
                    of: name, identifier: project.extensionIdentifier, executable: "$(EXECUTABLE_NAME)",
                    declaration: project.declaration(principalClass: "$(PRODUCT_MODULE_NAME).\(className)"))),
            .init(
                path: "\(sources)/Entitlements.plist",
                text: project.entitlements(
                    isNetworkClient: project.hasTransfers || parts.isNetworkClient,
                    networkExtension: parts.entitlement)),
            .init(path: "Tests/\(name)Tests/\(name)Tests.swift", text: test),
        ] + (hasHostHalf ? [] : [project.scenario(acts: parts.sceneActs)])
            + parts.resources.map { .init(path: "\(sources)/\($0.name)", text: $0.text) }
            + (parts.companion.map { files(of: $0) } ?? [])
            + (project.hasPageScript ? [.init(path: "page.html", text: Self.webPage), project.pageScenario] : [])
    }

    private func files(of companion: Companion) -> [NewProject.File] {
        let target = name + companion.suffix
        return [
            .init(path: "Sources/\(target)/\(companion.className).swift", text: companion.source),
            .init(path: "Sources/\(target)/\(EntryPoint.fileName)", text: EntryPoint.text),
            .init(
                path: "Sources/\(target)/Info.plist",
                text: project.information(
                    of: target, identifier: companion.identifier, executable: "$(EXECUTABLE_NAME)",
                    declaration: NewProject.declaration(
                        of: companion.point, principalClass: "$(PRODUCT_MODULE_NAME).\(companion.className)")
                        + "    </dict>\n")),
            .init(
                path: "Sources/\(target)/Entitlements.plist",
                text: project.entitlements(networkExtension: companion.entitlement)),
        ]
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
        let companion =
            parts.companion.map { companion in
                """
                        .executableTarget(
                            name: "\(name)\(companion.suffix)",
                            dependencies: [
                \(products(parts.modules))            ],
                            exclude: bundled),

                """
            } ?? ""
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
            \(products(transfers + parts.modules))            ],
                        exclude: bundled\(parts.resources.map { " + [\"\($0.name)\"]" }.joined())),
            \(companion)        .testTarget(
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

    private var test: String { hasHostHalf ? hostHalfTest : requestTest }

    private var hostHalfTest: String {
        """
        // \(name)Tests: the extension in its app, run by a daemon of the test's own.

        import ExtensionHostTesting
        import Foundation
        import PointHosts
        import Testing

        @Suite struct \(name)Tests {
            @Test func \(parts.test)() async throws {
                // The app is bundled first, from the programs that swift test has built.
                try await withTestDaemon(package: #filePath) { daemon in
                    let host = try await daemon.host("tests")
        \(parts.session ?? "")
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
                    let request = try await host.begin("\(project.extensionIdentifier)", items: [.text("hello brave world")])\(parts.acts)
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
        let scenario =
            hasHostHalf && !project.hasPageScript
            ? (line: "", sentence: "", row: "")
            : (
                line: "$ exthostctl test \(name).scenario\n",
                sentence: " `exthostctl test` runs the scenario and checks its expectations.",
                row: "| `\(name).scenario` | its tests, line by line |\n"
            )
        let companion =
            parts.companion.map { "| `Sources/\(name)\($0.suffix)` | the extension that works together with it |\n" }
            ?? ""
        return """
            # \(name)

            An app with an extension: \(project.summary).

            ```console
            $ \(parts.run)
            \(scenario.line)$ swift test
            $ exthostctl bundle --release
            ```

            The first command builds, bundles and runs the extension, and prints all events.\(scenario.sentence)
            `exthostctl`, `exthostd` and `exthost-init` must be on the `PATH`.

            | file | what it is |
            | --- | --- |
            | `Sources/\(name)` | the extension: its class, its entry point, `Info.plist` and entitlements |
            | `Sources/\(name)App` | the app that contains it |
            \(companion)\(scenario.row)| `Tests` | a test in Swift that runs it |

            """
    }
}
