// OfferedItem: an item with what only some extensions get of it.

public import ExtensionItems
public import ExtensionProtocol

/// An item as a host holds it before it knows who gets it.
///
/// A browser offers a page's address to everybody, and its property list (what the page's script found) to those extensions only
/// whose rule asks for a web page; every other rule would count the property list as an attachment that it does not support (spec
/// 3.2). `NSExtensionItem` has no place for that, so it stands beside it.
public struct OfferedItem: Sendable {
    /// What every extension gets.
    public var item: NSExtensionItem
    /// Added behind the item's attachments for extensions whose rule asks for a web page. Its type is `com.apple.property-list`.
    public var webPage: NSItemProvider?

    /// An item without alternatives is the item alone.
    public init(_ item: NSExtensionItem, webPage: NSItemProvider? = nil) {
        self.item = item
        self.webPage = webPage
    }

    /// The item as an extension gets it whose rule asks for a web page, or does not: a copy where there is something to add.
    public func item(forWebPage isAskedFor: Bool) -> NSExtensionItem {
        guard isAskedFor, let webPage, let copy = item.copy() as? NSExtensionItem else { return item }
        copy.attachments = (item.attachments ?? []) + [webPage]
        return copy
    }
}

extension OfferedTypes {
    /// The types of what a host offers: all that rules are asked about.
    public init(_ items: [OfferedItem]) {
        let pages = items.map { $0.webPage?.registeredTypeIdentifiers ?? [] }
        self.init(
            attachments: items.map { ($0.item.attachments ?? []).map(\.registeredTypeIdentifiers) },
            webPages: pages.allSatisfy(\.isEmpty) ? [] : pages)
    }
}
