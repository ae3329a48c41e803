// Warmup: the first use of everything that a request uses, in a process that waits for its first request.

import Dispatch
import ExtensionConnection
import ExtensionItems
import ExtensionWire
import Foundation
import PropertyListCoding

/// A fictitious request: its items are written, read, and returned, on a queue like those of requests.
///
/// The first use of a type looks up its conformances, that of a queue starts a thread, and much more is made once. It
/// takes a millisecond, which the first request of a process would otherwise pay. No code of the author's is called,
/// and no message is sent.
enum Warmup {
    /// The time limit: if no thread is available, the process waits no longer than this for it.
    private static let patience = DispatchTimeInterval.milliseconds(200)

    /// Returns once it is done, and leaves nothing running but what took longer than `patience`.
    ///
    /// Call it before the session starts.
    static func make(for session: ExtensionSession) {
        let request = RequestIdentifier()
        let done = DispatchSemaphore(value: 0)
        guard let delivered = try? delivery(of: request),
            let items = try? decodeItems(delivered, loader: NobodysLoader(owner: request.description))
        else { return }
        let context = ContextOrigin(request: request, items: items, session: session).makeContext()
        context.queue.async {
            answer(context) { done.signal() }
        }
        _ = done.wait(timeout: .now() + patience)
    }

    /// Returns a delivery as it comes from a host, read by the connection's reader.
    private static func delivery(of request: RequestIdentifier) throws -> EncodedValue {
        let message = Deliver(request: request, host: "nobody", hostState: .active)
        let body = try PropertyList.dictionary(message.dictionary).encodeBinary()
        if case .dictionary(let fields) = try PropertyList(binary: body, limits: .packet) {
            _ = try Deliver(dictionary: fields)
        }
        let providers = [
            NSItemProvider(item: NSURL(string: "https://example.org"), typeIdentifier: "public.url"),
            NSItemProvider(item: "text" as NSString, typeIdentifier: "public.plain-text"),
        ]
        let value = try encodeItems([item(providers)], into: ProviderTable())
        return EncodedValue(plist: try PropertyList(binary: value.plist.encodeBinary(), limits: .payload))
    }

    /// Reads what authors read, and returns the host's items and its own.
    ///
    /// Attachments of its own would have to be loaded. A thread of Dispatch's watches their queue, which would wake up
    /// now and then for as long as the process waits.
    private static func answer(_ context: NSExtensionContext, _ done: @escaping @Sendable () -> Void) {
        let received = context.inputItems.compactMap { $0 as? NSExtensionItem }
        for item in received {
            _ = (item.attributedTitle, item.attributedContentText, item.userInfo?["text"] as? String)
            _ =
                item.attachments?.first { $0.hasItemConformingToTypeIdentifier("public.url") }?
                .registeredTypeIdentifiers
        }
        encodeReturnedItems(received + [item()], to: context.request.description) { result in
            if let value = try? result.get(), let payload = try? Payload(value.plist.encodeBinary()) { _ = payload }
            for fields in [
                Complete(request: context.request, work: true).dictionary,
                Acknowledge(request: context.request).dictionary,
                HandlerFinished(request: context.request).dictionary,
            ] {
                _ = try? PropertyList.dictionary(fields).encodeBinary()
            }
            done()
        }
    }

    private static func item(_ attachments: [NSItemProvider]? = nil) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.attributedTitle = NSAttributedString(string: "title")
        item.attributedContentText = NSAttributedString(string: "text")
        if let attachments { item.attachments = attachments }
        let rest: [String: Any] = [
            "text": "text", "number": 1, "fraction": 0.5, "yes": true, "data": Data([1]),
            "date": Date(timeIntervalSince1970: 0),
            "list": ["a", 1] as [Any], "entries": ["a": "b"],
        ]
        item.userInfo = (item.userInfo ?? [:]).merging(rest.map { ($0 as AnyHashable, $1) }) { $1 }
        return item
    }
}

/// A loader for attachments without a host: none of them is ever loaded.
private struct NobodysLoader: ItemLoader {
    let owner: String

    func load(
        _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) -> @Sendable () -> Void {
        completion(.failure(NSItemProvider.error(.itemUnavailableError, "no process has it")))
        return {}
    }
}
