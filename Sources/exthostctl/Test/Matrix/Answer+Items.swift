// Answer+Items: returned items as values that can be compared across shapes.

import ExtensionHost
import Foundation
import Scenarios

extension Answer {
    /// Loads the first type of every attachment.
    init(_ items: [NSExtensionItem]) async {
        var values = ["items": "\(items.count)"]
        for (number, item) in items.enumerated() { await Self.add(item, "item \(number + 1)", &values) }
        self.init(values: values)
    }

    private static func add(_ item: NSExtensionItem, _ place: String, _ values: inout [String: String]) async {
        if let title = item.attributedTitle?.string { values["\(place) title"] = text(title) }
        if let content = item.attributedContentText?.string { values["\(place) contentText"] = text(content) }
        var others = item.userInfo ?? [:]
        for key in [
            NSExtensionItemAttributedTitleKey, NSExtensionItemAttributedContentTextKey, NSExtensionItemAttachmentsKey,
        ] {
            others[key] = nil
        }
        for (key, value) in others { await add(value, "\(place) userInfo.\(key.base)", &values) }
        for (number, provider) in (item.attachments ?? []).enumerated() {
            await add(provider, "\(place) attachment \(number + 1)", &values)
        }
    }

    private static func add(_ value: Any?, _ place: String, _ values: inout [String: String]) async {
        switch value {
        case let list as [Any]:
            values[place] = "\(list.count) values"
            for (number, element) in list.enumerated() { await add(element, "\(place).\(number)", &values) }
        case let entries as [AnyHashable: Any]:
            values[place] = "\(entries.count) values"
            for (key, element) in entries { await add(element, "\(place).\(key.base)", &values) }
        case let item as NSExtensionItem: await add(item, place, &values)
        case let provider as NSItemProvider:
            guard let type = provider.registeredTypeIdentifiers.first else {
                values[place] = "nothing"
                return
            }
            do {
                let value = try await provider.loadItem(forTypeIdentifier: type)
                if let url = value as? URL, url.isFileURL {
                    // The bytes that the extension could read, not those that this process finds under the name.
                    values[place] = try await provider.loadFileRepresentation(forTypeIdentifier: type) { copy in
                        bytes(try Data(contentsOf: copy, options: .mappedIfSafe))
                    }
                } else {
                    await add(value, place, &values)
                }
            } catch {
                values[place] = "an error: \(error.localizedDescription)"
            }
        default: values[place] = leaf(value)
        }
    }

    private static func leaf(_ value: Any?) -> String {
        switch value {
        case nil, is NSNull: "nothing"
        case let text as String: Self.text(text)
        case let text as NSAttributedString: Self.text(text.string)
        case let data as Data: bytes(data)
        case let url as URL where url.isFileURL: "the file \(url.lastPathComponent)"
        case let url as URL: text(url.absoluteString)
        case let date as Date: date.formatted(.iso8601)
        case let error as NSError: "error \(error.domain) \(error.code)"
        case let other?: "\(other)"
        }
    }

    /// The length above which a value is shown as its checksum, whether it is text or not.
    private static let longest = 200

    private static func text(_ text: String) -> String { bytes(Data(text.utf8)) }

    private static func bytes(_ data: Data) -> String {
        if data.count <= longest, let text = String(data: data, encoding: .utf8) { return text }
        return "\(data.count) bytes with SHA-256 \(SHA256.hexadecimal(of: data).prefix(16))…"
    }
}
