// ItemsFile: a whole request in a file: an array of items in the shape of `run --json`.

import ExtensionItems
import Foundation

/// A reader of items. A value of an attachment may also be `{"file": PATH}`, with the path relative to the file's
/// folder.
struct ItemsFile {
    private let path: String

    init(_ path: String) { self.path = path }

    func items() throws(CommandError) -> [NSExtensionItem] {
        guard let list = try InputFile(path).object() as? [Any] else {
            throw fault("the top level is not an array", "the items")
        }
        var items: [NSExtensionItem] = []
        for (index, element) in list.enumerated() { items.append(try item(element, "item \(index)")) }
        return items
    }

    private func item(_ element: Any, _ place: String) throws(CommandError) -> NSExtensionItem {
        guard let entries = element as? [String: Any] else { throw fault("\(place) is not a dictionary", "an item") }
        if let unknown = entries.keys.sorted().first(where: {
            !["title", "contentText", "userInfo", "attachments"].contains($0)
        }) {
            throw fault("\(place) has an unknown key “\(unknown)”", "title, contentText, userInfo and attachments")
        }
        let item = NSExtensionItem()
        if let userInfo = try optional(
            entries["userInfo"], [String: Any].self, "\(place): userInfo is not a dictionary")
        {
            item.userInfo = userInfo
        }
        if let title = try optional(entries["title"], String.self, "\(place): title is not text") {
            item.attributedTitle = NSAttributedString(string: title)
        }
        if let text = try optional(entries["contentText"], String.self, "\(place): contentText is not text") {
            item.attributedContentText = NSAttributedString(string: text)
        }
        if let list = try optional(entries["attachments"], [Any].self, "\(place): attachments is not an array") {
            var attachments: [NSItemProvider] = []
            for (index, element) in list.enumerated() {
                attachments.append(try attachment(element, "\(place), attachment \(index)"))
            }
            item.attachments = attachments
        }
        return item
    }

    private func attachment(_ element: Any, _ place: String) throws(CommandError) -> NSItemProvider {
        guard let entries = element as? [String: Any], let values = entries["values"] as? [String: Any], !values.isEmpty
        else {
            throw fault("\(place) has no values", #"a dictionary with "values": {TYPE: VALUE}"#)
        }
        let named = try optional(entries["types"], [String].self, "\(place): types is not an array of text") ?? []
        if let missing = named.first(where: { values[$0] == nil }) {
            throw fault("\(place) has no value for its type \(missing)", "a value for each type")
        }
        let types = named + values.keys.filter { !named.contains($0) }.sorted()
        var offered: [(type: String, value: any NSSecureCoding)] = []
        for type in types { offered.append((type, try value(values[type], as: type, "\(place), \(type)"))) }
        // A single value that is present needs no handler, and coerces as a host's own does.
        if offered.count == 1 { return NSItemProvider(item: offered[0].value, typeIdentifier: offered[0].type) }
        let provider = NSItemProvider()
        for (type, value) in offered {
            let constant = Constant(value: value)
            provider.registerItem(forTypeIdentifier: type) { completion, _, _ in completion?(constant.value, nil) }
        }
        return provider
    }

    private func value(_ element: Any?, as type: String, _ place: String) throws(CommandError) -> any NSSecureCoding {
        if let entries = element as? [String: Any] {
            if entries.count == 1, let file = entries["file"] as? String { return try self.file(file) }
            if entries.count == 2, entries["bytes"] != nil, entries["sha256"] != nil {
                throw fault("\(place): a checksum does not contain the bytes", #"{"file": PATH}"#)
            }
        }
        if let text = element as? String, isURL(type), let url = URL(string: text) { return url as NSURL }
        // Swift's values, which the JSON reader returns here, are no objects by themselves.
        switch element {
        case let text as String: return text as NSString
        case let data as Data: return NSData(data: data)
        case let date as Date: return NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let list as [Any]: return NSArray(array: list)
        case let entries as [String: Any]: return NSDictionary(dictionary: entries)
        case let object as any NSSecureCoding where !(object is NSNull): return object
        default: throw fault("\(place): there is no value", "text, a number, a list, or {\"file\": PATH}")
        }
    }

    private func file(_ name: String) throws(CommandError) -> NSURL {
        let url = URL(fileURLWithPath: name, relativeTo: URL(fileURLWithPath: path).deletingLastPathComponent())
            .absoluteURL
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw .missing(
                "there is no file \(url.path), which \(path) names",
                remedy: "Paths in it are relative to its own folder")
        }
        return url as NSURL
    }

    private func isURL(_ type: String) -> Bool {
        NSItemProvider(item: nil, typeIdentifier: type).hasItemConformingToTypeIdentifier("public.url")
    }

    /// Returns a member's value. Nil if it is absent or null.
    private func optional<Value>(_ element: Any?, _ type: Value.Type, _ otherwise: String) throws(CommandError)
        -> Value?
    {
        guard let element, !(element is NSNull) else { return nil }
        guard let value = element as? Value else { throw fault(otherwise, "the shape that run --json shows") }
        return value
    }

    private func fault(_ what: String, _ expected: String) -> CommandError {
        .usage("\(path): \(what)", remedy: "Write \(expected)")
    }
}

/// A value that a load handler gives as often as it is asked.
// Unchecked: nothing changes the objects of a file that was just read.
private struct Constant: @unchecked Sendable {
    let value: any NSSecureCoding
}
