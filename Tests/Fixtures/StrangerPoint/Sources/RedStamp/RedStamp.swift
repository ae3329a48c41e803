// RedStamp: an extension of the point.

import ExtensionFoundation
import Foundation
import StampKit

final class RedStamp: NSObject, Stamping {
    func stamp(_ text: String, completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void) {
        switch text {
        case "": completionHandler(nil, CocoaError(.formatting))
        case "lost": break  // A mistake: the handler is released without a call.
        default: completionHandler("RED \(text)", nil)
        }
    }

    func stampFile(at url: URL) throws -> URL {
        try Data("RED \(String(contentsOf: url, encoding: .utf8))".utf8).write(to: url)
        return url
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
