// Blocker: a content blocker, and a source of shared links, that does what a file of its bundle says.

import SafariServices

/// The file `act` has the act and its argument.
final class ContentBlockerRequestHandler: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        let act = Self.resource("act").map { String(decoding: $0, as: UTF8.self) } ?? "list"
        let item = NSExtensionItem()
        switch act {
        case "list":
            let attachment = NSItemProvider(
                contentsOf: Bundle.main.url(forResource: "blockerList", withExtension: "json"))!
            item.attachments = [attachment]
        case "data":
            let json = #"[{"trigger": {"url-filter": "data"}, "action": {"type": "block"}}]"#
            item.attachments = [NSItemProvider(item: Data(json.utf8) as NSData, typeIdentifier: "public.json")]
        case "nothing": return context.completeRequest(returningItems: [], completionHandler: nil)
        case "bare": break
        case "text":
            item.attachments = [NSItemProvider(item: "[]" as NSString, typeIdentifier: "public.plain-text")]
        case "broken":
            let provider = NSItemProvider()
            provider.registerDataRepresentation(forTypeIdentifier: "public.json", visibility: .all) { answer in
                answer(nil, CocoaError(.fileReadNoSuchFile))
                return nil
            }
            item.attachments = [provider]
        case "cancel": return context.cancelRequest(withError: CocoaError(.fileReadNoSuchFile))
        case "exit": exit(0)
        case "crash": abort()
        case "hang": return
        case "late":
            item.attachments = [
                NSItemProvider(contentsOf: Bundle.main.url(forResource: "blockerList", withExtension: "json"))!
            ]
            return context.completeRequest(returningItems: [item]) { _ in abort() }
        case "links": return context.completeRequest(returningItems: Self.links(), completionHandler: nil)
        case let act where act.hasPrefix("state "):
            return SFContentBlockerManager.getStateOfContentBlocker(withIdentifier: String(act.dropFirst(6))) {
                state, error in
                if let error { return context.cancelRequest(withError: error) }
                let answer = NSExtensionItem()
                answer.attributedTitle = NSAttributedString(string: "\(state!.isEnabled)")
                context.completeRequest(returningItems: [answer], completionHandler: nil)
            }
        default: return context.cancelRequest(withError: CocoaError(.featureUnsupported))
        }
        context.completeRequest(returningItems: [item], completionHandler: nil)
    }

    private static func resource(_ name: String) -> Data? {
        Bundle.main.url(forResource: name, withExtension: nil).flatMap { try? Data(contentsOf: $0) }
    }

    /// The links of `links.json`: dictionaries whose `date` is in seconds.
    private static func links() -> [NSExtensionItem] {
        let links = resource("links.json").flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [[String: Any]]
        return (links ?? []).map { link in
            let item = NSExtensionItem()
            var information: [AnyHashable: Any] = [:]
            for key in ["uniqueIdentifier", "urlString", "displayName"] { information[key] = link[key] }
            if let seconds = link["date"] as? Double { information["date"] = Date(timeIntervalSince1970: seconds) }
            item.userInfo = information
            if let title = link["title"] as? String { item.attributedTitle = NSAttributedString(string: title) }
            if let text = link["text"] as? String { item.attributedContentText = NSAttributedString(string: text) }
            if let image = link["image"] as? String {
                item.attachments = [NSItemProvider(item: Data(image.utf8) as NSData, typeIdentifier: "public.png")]
            }
            return item
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
