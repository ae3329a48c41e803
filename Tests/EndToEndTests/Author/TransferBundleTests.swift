// TransferBundleTests: a Share extension as Apple's guide lists it, with a background session, bundled and run.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing
import TransferMessages

extension RewrittenAuthorTests {
    /// The listing of the App Extension Programming Guide, "Performing Uploads and Downloads", in Swift, in the
    /// controller that Xcode's template for Share extensions makes.
    private static let share = """
        import UIKit
        import Social

        class ShareViewController: SLComposeServiceViewController {
            override func isContentValid() -> Bool { return true }

            override func didSelectPost() {
                let mySession: URLSession = self.configureMySession()
                let url = URL(string: "https://www.example.com/LargeFile.zip")
                let myTask = mySession.downloadTask(with: url!)
                myTask.resume()
                self.extensionContext!.completeRequest(returningItems: [], completionHandler: nil)
            }

            override func configurationItems() -> [Any]! { return [] }

            func configureMySession() -> URLSession {
                let config: URLSessionConfiguration = URLSessionConfiguration.background(
                    withIdentifier: "com.mycompany.myapp.backgroundsession")
                config.sharedContainerIdentifier = "group.com.mycompany.myapp"
                return URLSession(configuration: config, delegate: Downloads(), delegateQueue: nil)
            }
        }

        """

    /// Another file of the extension names the classes, and makes no session.
    private static let downloads = """
        import Foundation

        class Downloads: NSObject, URLSessionDownloadDelegate {
            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
            ) {
                let group = FileManager.default.containerURL(
                    forSecurityApplicationGroupIdentifier: "group.com.mycompany.myapp")!
                let name = downloadTask.originalRequest!.url!.lastPathComponent
                try? FileManager.default.moveItem(at: location, to: group.appendingPathComponent(name))
            }
        }

        """

    private static let app = """
        import UIKit

        @UIApplicationMain
        class AppDelegate: UIResponder, UIApplicationDelegate, URLSessionDelegate {
            var session: URLSession?
            var backgroundCompletionHandler: (() -> Void)?

            func application(
                _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
                completionHandler: @escaping () -> Void
            ) {
                backgroundCompletionHandler = completionHandler
                let config = URLSessionConfiguration.background(withIdentifier: identifier)
                config.sharedContainerIdentifier = "group.com.mycompany.myapp"
                session = URLSession(configuration: config, delegate: self, delegateQueue: .main)
            }

            func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
                backgroundCompletionHandler?()
            }
        }

        extension AppDelegate: URLSessionDownloadDelegate {
            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
            ) {
                Downloads().urlSession(session, downloadTask: downloadTask, didFinishDownloadingTo: location)
            }
        }

        """

    private static func manifest(_ product: String) -> String {
        let products = "[.product(name: \"Social\", package: \"exthost\")\(product)]"
        let rest = "exclude: [\"Info.plist\", \"Entitlements.plist\"], swiftSettings: [.swiftLanguageMode(.v5)]"
        return """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "MyApp",
                dependencies: [.package(name: "exthost", path: "\(SampleApplications.root)")],
                targets: [
                    .executableTarget(name: "MyApp", dependencies: \(products), \(rest)),
                    .executableTarget(name: "MyShare", dependencies: \(products), \(rest)),
                ])

            """
    }

    private func writeListing() throws -> String {
        let package = folder + "/MyApp"
        func write(_ path: String, _ text: String) throws {
            let file = URL(fileURLWithPath: "\(package)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        func list(_ keys: String) -> String { "<plist version=\"1.0\"><dict>\(keys)</dict></plist>" }
        let group =
            "<key>com.apple.security.application-groups</key><array><string>group.com.mycompany.myapp</string></array>"
        try write("Package.swift", Self.manifest(", .product(name: \"BackgroundTransfers\", package: \"exthost\")"))
        try write("Sources/MyApp/AppDelegate.swift", Self.app)
        try write("Sources/MyApp/Downloads.swift", Self.downloads)
        try write(
            "Sources/MyApp/Info.plist", list("<key>CFBundleIdentifier</key><string>com.mycompany.myapp</string>"))
        try write("Sources/MyApp/Entitlements.plist", list(group))
        try write("Sources/MyShare/ShareViewController.swift", Self.share)
        try write("Sources/MyShare/Downloads.swift", Self.downloads)
        try write(
            "Sources/MyShare/Info.plist",
            list(
                """
                <key>CFBundleIdentifier</key><string>com.mycompany.myapp.share</string>
                <key>NSExtension</key><dict>
                <key>NSExtensionPointIdentifier</key><string>com.apple.share-services</string>
                <key>NSExtensionPrincipalClass</key><string>$(PRODUCT_MODULE_NAME).ShareViewController</string>
                <key>NSExtensionAttributes</key><dict><key>NSExtensionActivationRule</key><dict>
                <key>NSExtensionActivationSupportsText</key><true/></dict></dict></dict>
                """))
        try write(
            "Sources/MyShare/Entitlements.plist", list(group + "<key>com.apple.security.network.client</key><true/>"))
        return package
    }

    // spec: BT-1, BT-15, BT-21
    @Test("BT-1, BT-15, BT-21: the guide's listing of a background session is bundled with no line changed, and runs")
    func theListingOfTheGuide() async throws {
        let package = try writeListing()
        let made = try await run("exthostctl bundle . --dynamic", in: package)
        try #require(made.status == 0, "\(made)")
        let kept = try String(contentsOfFile: package + "/Sources/MyShare/ShareViewController.swift", encoding: .utf8)
        #expect(kept == Self.share)
        try await withTestDaemon(applications: [package + "/.build/bundles"], clock: .virtual) { daemon in
            try await daemon.answerTransfers([
                TransferAnswer("https://www.example.com/LargeFile.zip", body: Array("large".utf8), duration: 100)
            ])
            let host = try await daemon.host("notes")
            let request = try await host.begin("com.mycompany.myapp.share", items: [.text("hello")])
            try await request.use(.post)
            #expect(await request.outcome.kind == .completed)
            try await daemon.clock.advance(by: .seconds(50))
            #expect(try await daemon.control.processes().allSatisfy { $0.kind == "service" })
            try await daemon.clock.advance(by: .seconds(60))
            let place = try #require(daemon.groupContainers) + "/group.com.mycompany.myapp/LargeFile.zip"
            try await eventually { FileManager.default.fileExists(atPath: place) }
            #expect(try String(contentsOfFile: place, encoding: .utf8) == "large")
            #expect(try await daemon.events().contains { $0.event == EventName.appOpened.rawValue })
        }
    }

    @Test("a package that is not linked with background sessions gets the line for its manifest")
    func theListingWithoutItsProduct() async throws {
        let package = try writeListing()
        try Data(Self.manifest("").utf8).write(to: URL(fileURLWithPath: package + "/Package.swift"))
        let made = try await run("exthostctl bundle . --dynamic", in: package)
        #expect(made.status != 0, "\(made)")
        let remedy = "Add .product(name: \"BackgroundTransfers\", package: \"exthost\") to the target's dependencies"
        #expect(
            made.output.contains(remedy)
                && made.output.contains("AppDelegate.swift:13: error: 'background(withIdentifier:)'"), "\(made)")
    }
}
