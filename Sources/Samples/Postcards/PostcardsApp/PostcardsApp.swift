// PostcardsApp: an app for systems without embedded frameworks, too. It loads PostcardKit only where there are any.

import FrameworkPreflight
import UIKit

@main final class PostcardsApp: UIResponder, UIApplicationDelegate {
    func applicationDidBecomeActive(_ application: UIApplication) {
        let version = UIDevice.current.systemVersion
        guard version.compare("8.0", options: .numeric) != .orderedAscending else {
            return print("system \(version): no frameworks, so this is a plain greeting, Ada!")
        }
        print("system \(version):", Self.greeting(for: "Ada") ?? "the framework is missing")
    }

    private static func greeting(for name: String) -> String? {
        guard let kit = Bundle(path: Bundle.main.bundlePath + "/Frameworks/PostcardKit.framework") else { return nil }
        do {
            try kit.preflightFramework()
            try kit.loadAndReturnError()
        } catch {
            return error.localizedDescription
        }
        let type = NSClassFromString("PostcardKit.Postcard") as? any LosslessStringConvertible.Type
        guard let postcard = type?.init(name), let stamp = CFBundleGetFunctionPointerForName(kit, "postcard_stamp")
        else { return nil }
        let price = unsafeBitCast(stamp, to: (@convention(c) (Int32) -> Int32).self)(2)
        return "\(postcard) (2 stamps: \(price) cents)"
    }
}
