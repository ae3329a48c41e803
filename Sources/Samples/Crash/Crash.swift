// Crash: a Share extension with a bug.

import ExtensionFoundation
import Foundation

final class Crash: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        let shared: [String] = context.inputItems.compactMap { $0 as? String }
        // The bug: items are never strings, so there is no first one.
        print("sharing", shared[0])
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
