// Values: the content of items as JSON: items, attachments with their values, errors, property lists.

import ExtensionItems
import Foundation

extension JSON {
    /// Returns an item as `run --json` shows it. It loads every type of every attachment.
    static func item(_ item: NSExtensionItem) async -> JSON {
        var others = item.userInfo ?? [:]
        for key in [
            NSExtensionItemAttributedTitleKey, NSExtensionItemAttributedContentTextKey, NSExtensionItemAttachmentsKey,
        ] {
            others[key] = nil
        }
        var attachments: [JSON] = []
        for provider in item.attachments ?? [] { attachments.append(await attachment(provider)) }
        return [
            "title": .optional(item.attributedTitle?.string),
            "contentText": .optional(item.attributedContentText?.string),
            "userInfo": await dictionary(others), "attachments": .array(attachments),
        ]
    }

    static func items(_ items: [NSExtensionItem]) async -> JSON {
        var list: [JSON] = []
        for item in items { list.append(await .item(item)) }
        return .array(list)
    }

    /// Returns an attachment. A type whose load fails shows its error in the value's place.
    private static func attachment(_ provider: NSItemProvider) async -> JSON {
        let types = provider.registeredTypeIdentifiers
        var values: [(name: String, value: JSON)] = []
        for type in types {
            do {
                values.append((type, await value(try await provider.loadItem(forTypeIdentifier: type))))
            } catch {
                values.append((type, ["error": await .error(error)]))
            }
        }
        return ["types": .array(types.map(JSON.string)), "values": .object(values)]
    }

    /// Returns `{"domain", "code", "description", "userInfo"}`, with nested errors in the same form.
    static func error(_ error: any Error) async -> JSON {
        let error = error as NSError
        return [
            "domain": .string(error.domain), "code": .integer(error.code),
            "description": .string(error.localizedDescription),
            "userInfo": await dictionary(error.userInfo),
        ]
    }

    /// Returns text, URLs and property lists as they are, and bytes as their number and checksum.
    static func value(_ value: Any?) async -> JSON {
        switch value {
        case nil, is NSNull: .null
        case let text as String: .string(text)
        case let number as NSNumber: .number(number)
        case let data as Data: ["bytes": .integer(data.count), "sha256": .string(SHA256.hexadecimal(of: data))]
        case let date as Date: .string(date.formatted(.iso8601))
        case let url as URL: .string(url.absoluteString)
        case let text as NSAttributedString: .string(text.string)
        case let item as NSExtensionItem: await .item(item)
        case let provider as NSItemProvider: await attachment(provider)
        case let error as NSError: await .error(error)
        case let values as [Any]: await array(values)
        case let entries as [AnyHashable: Any]: await dictionary(entries)
        case let other?: .string("\(other)")
        }
    }

    private static func array(_ values: [Any]) async -> JSON {
        var list: [JSON] = []
        for element in values { list.append(await value(element)) }
        return .array(list)
    }

    /// Returns a dictionary with its members in the order of the keys.
    private static func dictionary(_ entries: [AnyHashable: Any]) async -> JSON {
        var members: [(name: String, value: JSON)] = []
        for (key, value) in entries {
            let name = "\(key.base)"
            if name == NSExtensionItemsAndErrorsKey, let pairs = value as? [AnyHashable: Any] {
                members.append((name, await itemsAndErrors(pairs)))
            } else {
                members.append((name, await .value(value)))
            }
        }
        return .object(members.sorted { $0.name < $1.name })
    }

    /// Returns an array of pairs, in the order of their text: items cannot be keys in JSON, and a dictionary has no
    /// order.
    private static func itemsAndErrors(_ pairs: [AnyHashable: Any]) async -> JSON {
        var list: [JSON] = []
        for (item, error) in pairs { list.append(["item": await value(item.base), "error": await value(error)]) }
        return .array(list.map { ($0.line, $0) }.sorted { $0.0 < $1.0 }.map(\.1))
    }

    private static func number(_ number: NSNumber) -> JSON {
        // Foundation has one object for each truth value; its type letter is that of small integers, too.
        if number === NSNumber(value: true) || number === NSNumber(value: false) { return .boolean(number.boolValue) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): return .real(number.doubleValue)
        default: return .integer(number.intValue)
        }
    }
}
