// Notebook: an app that prints what its delegate is told; for tests.

import ExtensionHost
import NotificationCenter
import SafariServices
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
        // notebook://reload/ID and notebook://state/ID
        case "reload":
            SFContentBlockerManager.reloadContentBlocker(withIdentifier: url.lastPathComponent) { error in
                print(error.map(Self.words) ?? "reloaded")
            }
        case "state":
            SFContentBlockerManager.getStateOfContentBlocker(withIdentifier: url.lastPathComponent) { state, error in
                print(error.map(Self.words) ?? "enabled \(state?.isEnabled ?? false)")
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

    /// Keeps the handlers of the session `keep`, which are never called.
    private var kept: [() -> Void] = []

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        print("events", identifier, application.applicationState)
        switch identifier {
        case "leave": exit(4)
        case "keep": kept.append(completionHandler)
        default: completionHandler()
        }
    }

    private nonisolated static func words(_ error: any Error) -> String {
        if let error = error as? ExtensionHostError { return "error \(error.code)" }
        return "error \((error as NSError).domain) \((error as NSError).code)"
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
