// Notebook: an app that prints what its delegate is told; for tests.

import AuthenticationServices
import CallKit
import CoreSpotlight
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
        // notebook://callreload/ID, notebook://callstatus/ID and notebook://callsettings/x
        case "callreload":
            CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: url.lastPathComponent) { error in
                print(error.map(Self.words) ?? "loaded")
            }
        case "callstatus":
            CXCallDirectoryManager.sharedInstance.getEnabledStatusForExtension(withIdentifier: url.lastPathComponent) {
                status, error in
                print(error.map(Self.words) ?? "status \(status.rawValue)")
            }
        case "callsettings":
            CXCallDirectoryManager.sharedInstance.openSettings { print($0.map(Self.words) ?? "opened") }
        // notebook://credentials/save/ada,eve and so on
        case "credentials": Self.change(url.pathComponents[1], url.lastPathComponent)
        // notebook://index/ID/TITLE, notebook://delegate/on and notebook://find/QUERY
        case "index":
            let attributes = CSSearchableItemAttributeSet(itemContentType: "public.text")
            attributes.title = url.lastPathComponent
            let item = CSSearchableItem(
                uniqueIdentifier: url.pathComponents[1], domainIdentifier: nil, attributeSet: attributes)
            CSSearchableIndex.default().indexSearchableItems([item]) { error in
                print(error.map(Self.words) ?? "indexed")
            }
        case "delegate":
            // A delegate that goes at once has no other reference.
            let passing = PassingDelegate()
            CSSearchableIndex.default().indexDelegate =
                switch url.lastPathComponent {
                case "on": self
                case "passing": passing
                default: nil
                }
            withExtendedLifetime(passing) {}
            CSSearchableIndex.default().deleteSearchableItems(withIdentifiers: []) { _ in print("delegate set") }
        case "find":
            let query = CSSearchQuery(queryString: "title == \"\(url.lastPathComponent)*\"c", attributes: ["title"])
            query.foundItemsHandler = { @Sendable in
                print("found", $0.map { $0.attributeSet.title ?? "-" }.joined(separator: ","))
            }
            query.completionHandler = { @Sendable in print($0.map(Self.words) ?? "search done") }
            query.start()
        case "hang": while true { sleep(1) }
        case "store":
            let defaults = UserDefaults(suiteName: "group.org.exthost.tests")
            print("stored", defaults?.string(forKey: "word") ?? "-")
            defaults?.set(url.path, forKey: "path")
        default: break
        }
        return false
    }

    /// Changes or lists the identities of the app: `save`, `remove`, `replace`, `clear`, `fill`, `passkey`, `state`,
    /// `list`.
    private static func change(_ verb: String, _ text: String) {
        let store = ASCredentialIdentityStore.shared
        func identity(_ user: String, _ rank: Int = 0) -> ASPasswordCredentialIdentity {
            let identity = ASPasswordCredentialIdentity(
                serviceIdentifier: ASCredentialServiceIdentifier(identifier: "example.org", type: .domain), user: user,
                recordIdentifier: nil)
            identity.rank = rank
            return identity
        }
        let identities = text.split(separator: ",").enumerated().map { identity(String($1), $0) }
        let report: @Sendable (Bool, (any Error)?) -> Void = { print($1.map(words) ?? "changed \($0)") }
        switch verb {
        case "save": store.saveCredentialIdentities(identities, completion: report)
        case "remove": store.removeCredentialIdentities(identities, completion: report)
        case "replace": store.replaceCredentialIdentities(with: identities, completion: report)
        case "clear": store.removeAllCredentialIdentities(report)
        case "fill":
            store.saveCredentialIdentities((0..<(Int(text) ?? 0)).map { identity("user \($0)") }, completion: report)
        case "passkey":
            let passkey = ASPasskeyCredentialIdentity(
                relyingPartyIdentifier: "example.org", userName: "key", credentialID: Data(), userHandle: Data())
            store.saveCredentialIdentities(identities + [passkey], completion: report)
        case "state":
            store.getState { print("state \($0.isEnabled) \($0.supportsIncrementalUpdates)") }
        default:
            Task {
                let found = await store.credentialIdentities()
                print("listed", found.map { "\($0.user) \($0.rank)" }.joined(separator: ","))
            }
        }
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

    func application(_ application: UIApplication, willContinueUserActivityWithType userActivityType: String) -> Bool {
        print("will continue", userActivityType)
        return false
    }

    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        print(
            "continue", userActivity.activityType, userActivity.userInfo?[CSSearchableItemActivityIdentifier] ?? "-",
            application.applicationState)
        if userActivity.userInfo?[CSSearchableItemActivityIdentifier] as? String == "hang" { while true { sleep(1) } }
        restorationHandler([self])
        return true
    }

    override func restoreUserActivityState(_ activity: NSUserActivity) { print("restore", activity.activityType) }

    func applicationDidBecomeActive(_ application: UIApplication) { print("active") }
    func applicationWillResignActive(_ application: UIApplication) { print("resigns") }
    func applicationDidEnterBackground(_ application: UIApplication) { print("background") }
    func applicationWillEnterForeground(_ application: UIApplication) { print("foreground") }
    func applicationWillTerminate(_ application: UIApplication) { print("goodbye") }
}

extension Notebook: CSSearchableIndexDelegate {
    nonisolated func searchableIndex(
        _ searchableIndex: CSSearchableIndex,
        reindexAllSearchableItemsWithAcknowledgementHandler acknowledgementHandler: @escaping @Sendable () -> Void
    ) {
        print("asked for all")
        let attributes = CSSearchableItemAttributeSet(itemContentType: "public.text")
        attributes.title = "of the app"
        searchableIndex.indexSearchableItems(
            [CSSearchableItem(uniqueIdentifier: "app", domainIdentifier: nil, attributeSet: attributes)])
        acknowledgementHandler()
    }

    nonisolated func searchableIndex(
        _ searchableIndex: CSSearchableIndex, reindexSearchableItemsWithIdentifiers identifiers: [String],
        acknowledgementHandler: @escaping @Sendable () -> Void
    ) {
        print("asked for", identifiers.joined(separator: ","))
        if identifiers != ["drop"] { acknowledgementHandler() }
    }

    nonisolated func searchableIndexDidThrottle(_ searchableIndex: CSSearchableIndex) { print("throttled") }
    nonisolated func searchableIndexDidFinishThrottle(_ searchableIndex: CSSearchableIndex) { print("unthrottled") }
}

/// A delegate that is released while the app runs.
private final class PassingDelegate: NSObject, CSSearchableIndexDelegate {
    func searchableIndex(
        _ searchableIndex: CSSearchableIndex,
        reindexAllSearchableItemsWithAcknowledgementHandler acknowledgementHandler: @escaping @Sendable () -> Void
    ) {}

    func searchableIndex(
        _ searchableIndex: CSSearchableIndex, reindexSearchableItemsWithIdentifiers identifiers: [String],
        acknowledgementHandler: @escaping @Sendable () -> Void
    ) {}
}
