// Notebook: an app that prints what its delegate is told; for tests.

import ExtensionHost
import NotificationCenter
import UIKit

@main final class Notebook: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        print(
            "launched", application.applicationState, launchOptions?[.url] ?? "-",
            launchOptions?[.sourceApplication] ?? "-",
            CommandLine.arguments.dropFirst().joined(separator: ","))
        if CommandLine.arguments.contains("--host") { Self.becomeHost() }
        // Opens nothing that it is launched with.
        return !CommandLine.arguments.contains("--refuse")
    }

    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
        print("open", url, options[.sourceApplication] ?? "-", app.applicationState)
        switch url.host {
        case "leave": exit(4)
        // notebook://content/on,off/ID
        case "content":
            for word in url.pathComponents[1].split(separator: ",") {
                NCWidgetController().setHasContent(
                    word == "on", forWidgetWithBundleIdentifier: url.lastPathComponent)
            }
        case "hang": while true { sleep(1) }
        case "store":
            let defaults = UserDefaults(suiteName: "group.org.exthost.tests")
            print("stored", defaults?.string(forKey: "word") ?? "-")
            defaults?.set(url.path, forKey: "path")
        default: break
        }
        return false
    }

    /// Prints what comes of it.
    private static func becomeHost() {
        Task {
            do {
                let host = try await HostApplication.connect(name: "notebook")
                print("host", host.name)
            } catch let error as ExtensionHostError {
                print("no host:", error.code, error.remedy ?? "-")
            }
        }
    }

    func applicationDidBecomeActive(_ application: UIApplication) { print("active") }
    func applicationWillResignActive(_ application: UIApplication) { print("resigns") }
    func applicationDidEnterBackground(_ application: UIApplication) { print("background") }
    func applicationWillEnterForeground(_ application: UIApplication) { print("foreground") }
    func applicationWillTerminate(_ application: UIApplication) { print("goodbye") }
}
