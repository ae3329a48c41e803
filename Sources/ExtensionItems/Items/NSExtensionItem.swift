// NSExtensionItem: one thing that a host hands to an extension or gets back.

public import Foundation
internal import PropertyListCoding

/// One piece of content on its way between a host and an extension.
///
/// One dictionary is the truth and the three properties are views of it (spec 1.5): setting a property makes its key appear
/// in `userInfo`, setting `userInfo` replaces everything, nil removes. Every value is copied in, so that a later change of
/// the caller's object is not seen. All members may be used from any thread.
///
/// A subclass with state of its own overrides `copy(with:)`: here `NSObject.init` is not required, so a copy is a plain
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

    /// The text that the item carries, as a post or a message has it.
    open var attributedContentText: NSAttributedString? {
        get { self[NSExtensionItemAttributedContentTextKey] as? NSAttributedString }
        set { self[NSExtensionItemAttributedContentTextKey] = newValue?.copy() }
    }

    /// Several things that belong to one post; the alternative forms of one thing are inside one provider. Values in
    /// `userInfo` that are no providers are passed over here.
    open var attachments: [NSItemProvider]? {
        get {
            guard let values = self[NSExtensionItemAttachmentsKey] as? [Any] else { return nil }
            return values.compactMap { $0 as? NSItemProvider }
        }
        set { self[NSExtensionItemAttachmentsKey] = newValue }
    }

    /// Everything in the item, the three properties under their keys included; nil when there is nothing.
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

    /// An item with the same values; attachments are the same provider objects.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSExtensionItem()
        copy.userInfo = userInfo
        return copy
    }

    open override var description: String {
        "<NSExtensionItem: \(address(of: self))> - userInfo: \(printed(userInfo ?? [:]))"
    }

    // MARK: NSSecureCoding

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Archives every entry that can be stored, as one piece of data: an archive of Foundation's own objects here makes one of
    /// a true and a 1. Attachments are left out, and entries that hold some: what they offer is made when it is asked for, in
    /// the process that owns them.
    open func encode(with coder: NSCoder) {
        var stored = PropertyListDictionary()
        for (key, value) in userInfo ?? [:] where key != AnyHashable(NSExtensionItemAttachmentsKey) {
            var encoder = ValueEncoder(providers: .refuse)
            if let key = key.base as? String, let encoded = try? encoder.value(value) { stored[key] = encoded }
        }
        // Never too deep: the encoder's own bound is below the writer's.
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
