// FakeHost: a host application played by a test.

public import ExtensionHost
import Foundation

/// A connected host. What it begins ends in exactly one outcome. Safe to use from any thread; letting go of the last
/// reference disconnects.
public final class FakeHost: Sendable {
    /// The connection underneath, for what has no shorter form here.
    public let application: HostApplication

    init(_ application: HostApplication) { self.application = application }

    /// The host's unique name.
    public var name: String { application.name }

    /// Begins a request; returns when the extension has it, or when it has ended before. Throws as `HostApplication.begin`.
    public func begin(
        _ identifier: String, items: [NSExtensionItem], timeout: Duration? = nil, force: Bool = false
    ) async throws -> ExtensionRequest {
        try await application.begin(identifier, items: items, timeout: timeout, force: force)
    }

    /// Moves the host to `state`; returns when every announcement on the way has been made.
    public func setState(_ state: HostStateName) async throws { try await application.setState(state) }

    /// Leaves without a word, as an application that crashed does.
    public func disconnect() { application.disconnect() }
}

/// Items in one word, so that a test says `items: [.url("https://example.org")]`.
extension NSExtensionItem {
    /// An item with one attachment.
    public static func attachment(_ provider: NSItemProvider) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.attachments = [provider]
        return item
    }

    /// An item that shares a web address. An address that is none becomes an item whose load fails.
    public static func url(_ address: String) -> NSExtensionItem {
        attachment(NSItemProvider(item: URL(string: address) as NSURL?, typeIdentifier: "public.url"))
    }

    /// An item that shares text.
    public static func text(_ text: String) -> NSExtensionItem {
        attachment(NSItemProvider(item: text as NSString, typeIdentifier: "public.plain-text"))
    }
}
