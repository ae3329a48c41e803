// ReadingListApp: the containing app. When it becomes active, it shows once what its extension has stored.

import UIKit

@main final class ReadingListApp: UIResponder, UIApplicationDelegate {
    private static let group = "group.org.exthost.samples.reading"

    func applicationDidBecomeActive(_ application: UIApplication) {
        guard let defaults = UserDefaults(suiteName: Self.group) else { return print("no group") }
        guard defaults.bool(forKey: "isNew"), let link = defaults.string(forKey: "link") else {
            return print("nothing new")
        }
        print(
            "new:", link, "for", defaults.string(forKey: "audience") ?? "nobody", "-",
            defaults.string(forKey: "note") ?? "")
        defaults.set(false, forKey: "isNew")
    }

    func applicationWillTerminate(_ application: UIApplication) { print("goodbye") }
}
