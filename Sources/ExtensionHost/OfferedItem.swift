// OfferedItem: an item, with the part of it that only some extensions get.

public import ExtensionItems
public import ExtensionProtocol

/// An item of a host before the receiver is known.
///
/// A browser offers a page's address to all extensions. It offers the page's property list (the result of the page's
/// script) only to extensions whose rule asks for a web page. Every other rule would count the property list as an
/// attachment that it does not support (spec 3.2). `NSExtensionItem` has no place for that, so it is stored beside it.
public struct OfferedItem: Sendable {
    /// The item that every extension gets.
    public var item: NSExtensionItem
    /// The provider that is added behind the item's attachments for extensions whose rule asks for a web page.
    ///
    /// The type is `com.apple.property-list`.
    public var webPage: NSItemProvider?

    /// Makes an item, by default without a web page.
    public init(_ item: NSExtensionItem, webPage: NSItemProvider? = nil) {
        self.item = item
        self.webPage = webPage
    }

    /// Returns the item for an extension whose rule asks for a web page, or does not: a copy if there is something to
    /// add.
    public func item(forWebPage isAskedFor: Bool) -> NSExtensionItem {
        guard isAskedFor, let webPage, let copy = item.copy() as? NSExtensionItem else { return item }
        copy.attachments = (item.attachments ?? []) + [webPage]
        return copy
    }
}

extension OfferedTypes {
    /// Makes the types of a host's items, which are all that rules need.
    public init(_ items: [OfferedItem]) {
        let pages = items.map { $0.webPage?.registeredTypeIdentifiers ?? [] }
        self.init(
            attachments: items.map { ($0.item.attachments ?? []).map(\.registeredTypeIdentifiers) },
            webPages: pages.allSatisfy(\.isEmpty) ? [] : pages)
    }
}
