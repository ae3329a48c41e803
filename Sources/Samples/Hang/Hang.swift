// Hang: a Share extension that never answers.

import ExtensionFoundation
import Foundation

final class Hang: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        print("this sample never completes and never cancels")
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
