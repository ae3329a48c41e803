// As the interface page has it.
// swift-format-ignore-file
// HostExample: the host that the interface promises, as it stands there.

import ExtensionHost
import Foundation

@main struct HostExample {
    static func main() async throws {
        let host = try await HostApplication.connect(name: "org.example.notes")
        let item = NSExtensionItem()
        item.attachments = [NSItemProvider(item: URL(string: "https://example.org")! as NSURL, typeIdentifier: "public.url")]
        for found in try await host.extensions(accepting: [item]) { print(found.identifier, found.displayName) }
        let request = try await host.begin("org.example.app.share", items: [item])
        try await host.setState(.background)            // announces willResignActive, didEnterBackground
        switch await request.outcome {
        case .completed(let items): print(items.count)
        case .cancelled(let cause, let error): print(cause, error as Any)
        case .interrupted(let cause), .timedOut(let cause), .refused(let cause): print(cause)
        }
    }
}
