// DemoHost: a fake host application that shares a link and a file, for Scripts/demo.

import ExtensionHost
import Foundation

/// The program. Usage: `DemoHost LINK FILE`; the daemon is that of `$EXTHOST_SOCKET`. It prints what a user of the app
/// would notice.
@main
struct DemoHost {
    static func main() async {
        do {
            guard CommandLine.arguments.count == 3, let link = URL(string: CommandLine.arguments[1]) else {
                print("usage: DemoHost LINK FILE")
                exit(64)
            }
            let host = try await HostApplication.connect(name: "org.exthost.demo")
            try await share(link, with: "org.exthost.samples.share", from: host)
            try await shareAndLeave(URL(fileURLWithPath: CommandLine.arguments[2]), from: host)
        } catch {
            print("the demo failed: \(error)")
            exit(1)
        }
    }

    private static func share(_ link: URL, with identifier: String, from host: HostApplication) async throws {
        let item = NSExtensionItem()
        item.attachments = [NSItemProvider(item: link as NSURL, typeIdentifier: "public.url")]
        let request = try await host.begin(identifier, items: [item])
        print("shared the link \(link) with \(identifier) (process \(request.processIdentifier ?? 0))")
        try show(await request.outcome)
    }

    private static func shareAndLeave(_ file: URL, from host: HostApplication) async throws {
        guard let provider = NSItemProvider(contentsOf: file) else { throw CocoaError(.fileNoSuchFile) }
        let item = NSExtensionItem()
        item.attachments = [provider]
        let identifier = "org.exthost.samples.later"
        let request = try await host.begin(identifier, items: [item])
        print(
            "shared the file \(file.lastPathComponent) with \(identifier) (process \(request.processIdentifier ?? 0))")
        try await host.setState(.background)
        try await host.setState(.active)
        print("  went to the background and came back while the extension worked")
        try show(await request.outcome)
    }

    private static func show(_ outcome: RequestOutcome) throws {
        guard case .completed(let items) = outcome else { throw DemoFailure(description: "the outcome was \(outcome)") }
        for item in items {
            let entries = (item.userInfo ?? [:]).map { ("\($0.key)", written($0.value)) }.sorted { $0.0 > $1.0 }
            for (key, value) in entries { print("  completed: \(key) = \(value)") }
        }
    }

    /// Returns a value on one line, and notification names without their common prefix.
    private static func written(_ value: Any) -> String {
        guard let list = value as? [String] else { return "\(value)" }
        return list.map { $0.replacing("NSExtensionHost", with: "").replacing("Notification", with: "") }.joined(
            separator: " → ")
    }
}

struct DemoFailure: Error, CustomStringConvertible {
    let description: String
}
