// TutorialApp: the app that reads and resets what TutorialShare has left, with the calls of a public tutorial; for
// tests.

import ExtensionFoundation
import Foundation

@main struct TutorialApp {
    static func main() {
        let suite = "group.cn.vimfung.ShareExtensionDemo"
        guard let userDefaults = UserDefaults(suiteName: suite) else { return print("no suite") }
        if userDefaults.bool(forKey: "has-new-share") {
            print("New Share:", userDefaults.value(forKey: "share-url") ?? "nothing")
            // Resets the mark.
            userDefaults.set(false, forKey: "has-new-share")
            userDefaults.synchronize()
        } else {
            print("nothing new")
        }
        if let file = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: suite)?
            .appendingPathComponent("demo.txt"), let text = try? String(contentsOf: file, encoding: .utf8)
        {
            print("str =", text)
        }
    }
}
