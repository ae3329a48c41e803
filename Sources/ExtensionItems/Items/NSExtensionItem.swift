// NSExtensionItem: a piece of content that a host hands to an extension or gets back.

public import Foundation
internal import PropertyListCoding

/// One piece of content on its way between a host and an extension.
///
/// One dictionary stores everything, and the three properties are views of it (spec 1.5). Setting a property adds its
/// key to `userInfo`, setting `userInfo` replaces everything, and nil removes. Every value is copied, so that a later
/// change of the caller's object has no effect. All members may be used from any thread.
///
/// A subclass with its own state overrides `copy(with:)`: here `NSObject.init` is not required, so a copy is a plain
/// `NSExtensionItem`.
// Unchecked: `contents` is the whole state and every use of it holds `lock`.
open class NSExtensionItem: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let lock = NSLock()
    private var contents: [AnyHashable: Any] = [:]

    public override init() { super.init() }

    /// The title, if the item has one.
    open var attributedTitle: NSAttributedString? {
        get { self[NSExtensionItemAttributedTitleKey] as? NSAttributedString }
        set { self[NSExtensionItemAttributedTitleKey] = newValue?.copy() }
    }

    /// The text of the item, such as that of a post or a message.
    open var attributedContentText: NSAttributedString? {
        get { self[NSExtensionItemAttributedContentTextKey] as? NSAttributedString }
        set { self[NSExtensionItemAttributedContentTextKey] = newValue?.copy() }
    }

    /// The attachments: several things that belong to one post.
    ///
    /// The alternative forms of one thing are inside one provider.
    ///
    /// Values in `userInfo` that are no providers are ignored here.
    open var attachments: [NSItemProvider]? {
        get {
            guard let values = self[NSExtensionItemAttachmentsKey] as? [Any] else { return nil }
            return values.compactMap { $0 as? NSItemProvider }
        }
        set { self[NSExtensionItemAttachmentsKey] = newValue }
    }

    /// The dictionary of the item's values, the three properties under their keys included; nil if it is empty.
    open var userInfo: [AnyHashable: Any]? {
        get { lock.withLock { contents.isEmpty ? nil : contents } }
        set {
            let copied = (newValue ?? [:]).mapValues(immutableCopy)
            lock.withLock { contents = copied }
        }
    }

    private subscript(key: String) -> Any? {
        get { lock.withLock { contents[key] } }
        set { lock.withLock { contents[key] = newValue } }
    }

    /// Returns an item with the same values; attachments are the same provider objects.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSExtensionItem()
        copy.userInfo = userInfo
        return copy
    }

    open override var description: String {
        "<NSExtensionItem: \(address(of: self))> - userInfo: \(printed(userInfo ?? [:]))"
    }

    // MARK: NSSecureCoding

    /// Whether the class supports secure coding: always true.
    open class var supportsSecureCoding: Bool { true }

    /// Archives every entry that can be stored, as one piece of data.
    ///
    /// An archive of Foundation's own objects would confuse a true and a 1 here. Attachments are omitted, and so are
    /// entries that hold some: their values are made on demand, in the process that owns them.
    open func encode(with coder: NSCoder) {
        var stored = PropertyListDictionary()
        for (key, value) in userInfo ?? [:] where key != AnyHashable(NSExtensionItemAttachmentsKey) {
            var encoder = ValueEncoder(providers: .refuse)
            if let key = key.base as? String, let encoded = try? encoder.value(value) { stored[key] = encoded }
        }
        // The dictionary is never too deep: the encoder's own limit is below the writer's.
        guard let bytes = try? PropertyList.dictionary(stored).encodeBinary() else { return }
        coder.encode(NSData(data: Data(bytes)), forKey: "userInfo")
    }

    public required init?(coder: NSCoder) {
        super.init()
        var decoder = ValueDecoder(descriptors: [], providers: .refuse)
        guard let data = coder.decodeObject(of: NSData.self, forKey: "userInfo"),
            let encoded = try? PropertyList(
                binary: [UInt8](UnsafeRawBufferPointer(start: data.bytes, count: data.length)), limits: .payload
            ).dictionary,
            let values = try? decoder.plainDictionary(encoded)
        else { return nil }
        contents = values
    }
}
