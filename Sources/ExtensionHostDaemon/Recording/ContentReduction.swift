// ContentReduction: the types and sizes that remain of a packet whose contents are not recorded.

import ExtensionProtocol
import PropertyListCoding

/// Removes whatever authors and users put into packets. The lists name what remains, not what is removed.
enum ContentReduction {
    /// Keys of bodies whose values are the protocol's own, or as public as in the event log.
    private static let keptInBody: Set<Key> = [
        .request, .requests, .extension, .attachments, .timeout, .force, .waits, .state, .outcome, .cause, .detail,
        .pid,
        .process,
        .hostState, .created, .timings, .refusals, .exit, .time, .stream, .host, .notification, .sequence, .work,
        .provider,
        .type,
        .load, .form, .completed, .total, .action, .minimum, .maximum, .role, .sdk, .limits, .resumable, .output,
        .version,
        .execution, .code, .message, .remedy, .reason, .source, .delay, .received, .packets, .number, .limit, .grace,
    ]

    /// Returns a packet's body without its payload. The tokens of sessions are never recorded.
    static func body(_ dictionary: PropertyListDictionary, of kind: MessageKind, contents: Bool)
        -> PropertyListDictionary
    {
        var reduced = PropertyListDictionary(minimumCapacity: dictionary.count)
        for (key, value) in dictionary where key != Key.payload.rawValue {
            let known = Key(rawValue: key)
            let isKept: Bool =
                switch known {
                case .token, .resumption: false
                // It is a host's name, or that of a call, which the log has too; in an act it is a user's choice.
                case .name: contents || kind == .hello || kind == .call
                case let known?: contents || keptInBody.contains(known)
                case nil: contents
                }
            reduced[known == nil && !contents ? size(ofKey: key) : key] = isKept ? value : summary(of: value)
        }
        return reduced
    }

    /// Returns the shape of an inline payload.
    static func payload(_ bytes: [UInt8], of kind: MessageKind) -> PropertyList {
        guard let value = try? PropertyList(binary: bytes, limits: .packet) else {
            return .string("<\(bytes.count) bytes that are no property list>")
        }
        var walk = Walk()
        return switch kind {
        case .showView, .viewUsed: walk.part(value, .view)
        case .itemLoaded, .loadItem, .called: walk.part(value, .answer)
        default: walk.value(value)
        }
    }

    /// The keys of a structure in section 8 of the protocol's page.
    private struct Form {
        /// Keys whose values remain, because they are the protocol's own.
        var kept: Set<String>
        /// Keys that remain, with reduced values.
        var named: Set<String>
        /// Keys of parts that have such a form again.
        var parts: Set<String> = []

        /// A structure that has a `$kind`.
        static let tagged = Form(
            kept: ["number", "types", "inPlace", "descriptor"],
            named: ["string", "base", "name", "path", "value", "domain", "code", "description", "underlying"],
            parts: ["representations", "runs", "itemsAndErrors"])
        /// A representation, a run, a part of shared memory, an item with its error.
        static let part = Form(
            kept: ["type", "file", "descriptor", "offset", "length", "location"],
            named: ["value", "error", "item", "attributes"],
            parts: ["bytes"])
        /// The answer to a load, and a load's options.
        static let answer = Form(kept: ["expected"], named: ["value", "error", "options"])
        static let view = Form(
            kept: ["kind", "enabled", "pending", "selected", "remaining"],
            named: ["name", "title", "text", "placeholder"],
            parts: ["children"])
    }

    private static let kinds: Set<String> = [
        "null", "url", "data", "file", "dictionary", "attributedString", "error", "item", "provider", "loadedProvider",
        "ownProvider",
    ]
    /// The keys of an item's dictionary that the model defines.
    private static let itemKeys: Set<String> = [
        "NSExtensionItemAttributedTitleKey", "NSExtensionItemAttributedContentTextKey", "NSExtensionItemAttachmentsKey",
    ]

    /// The maximum number of values that are reduced: the loop does this, and a packet can stand for a hundred
    /// thousand.
    private static let most = 4096

    private struct Walk {
        private var left = most

        /// Reduces an author's or user's value. The form remains of the protocol's own kinds; of a dictionary not even
        /// the keys do.
        mutating func value(_ value: PropertyList) -> PropertyList {
            guard take() else { return more }
            switch value {
            case .array(let values): return .array(values.prefix(most).map { self.value($0) })
            case .dictionary(let entries):
                guard let kind = entries["$kind"]?.string, kinds.contains(kind) else {
                    return dictionary(entries, keeping: [])
                }
                var shape = form(entries, .tagged)
                shape["$kind"] = .string(kind)
                if kind == "item", case .dictionary(let own)? = entries["userInfo"] {
                    shape["userInfo"] = dictionary(own, keeping: itemKeys)
                }
                return .dictionary(shape)
            default: return summary(of: value)
            }
        }

        /// Reduces a structure without a tag, or an array of such structures.
        mutating func part(_ value: PropertyList, _ kind: Form) -> PropertyList {
            guard take() else { return more }
            switch value {
            case .array(let values): return .array(values.prefix(most).map { part($0, kind) })
            case .dictionary(let entries): return .dictionary(form(entries, kind))
            default: return summary(of: value)
            }
        }

        private mutating func form(_ entries: PropertyListDictionary, _ form: Form) -> PropertyListDictionary {
            var result = PropertyListDictionary()
            for (key, inner) in entries where key != "$kind" {
                if form.kept.contains(key) {
                    result[key] = isPlain(inner) ? inner : summary(of: inner)
                } else if form.parts.contains(key) {
                    result[key] = part(inner, form.parts.contains("children") ? form : .part)
                } else if form.named.contains(key) {
                    result[key] = value(inner)
                } else if key != "userInfo" {
                    result[free(size(ofKey: key), in: result)] = value(inner)
                } else {
                    result[key] = value(inner)
                }
            }
            return result
        }

        /// Whether a value under one of the protocol's keys remains: numbers, truth, names of types and nothing that
        /// could hold more.
        private func isPlain(_ value: PropertyList) -> Bool {
            switch value {
            case .boolean, .integer, .string: true
            case .array(let values): values.allSatisfy { $0.string != nil }
            case .real, .date, .data, .dictionary: false
            }
        }

        private mutating func dictionary(_ entries: PropertyListDictionary, keeping keys: Set<String>) -> PropertyList {
            var result = PropertyListDictionary()
            for (key, inner) in entries {
                result[keys.contains(key) ? key : free(size(ofKey: key), in: result)] = value(inner)
            }
            return .dictionary(result)
        }

        private mutating func take() -> Bool {
            left -= 1
            return left >= 0
        }

        private var more: PropertyList { .string("<more>") }

        /// Returns an unused key, so that two keys of one length stay two.
        private func free(_ key: String, in dictionary: PropertyListDictionary) -> String {
            guard dictionary[key] != nil else { return key }
            var number = 2
            while dictionary["\(key) \(number)"] != nil { number += 1 }
            return "\(key) \(number)"
        }
    }

    private static func size(ofKey key: String) -> String { "<key of \(key.utf8.count) bytes>" }

    /// Returns a value's type and size.
    static func summary(of value: PropertyList) -> PropertyList {
        switch value {
        case .boolean: "<boolean>"
        case .integer: "<integer>"
        case .real: "<real>"
        case .date: "<date>"
        case .string(let text): .string("<string of \(text.utf8.count) bytes>")
        case .data(let bytes): .string("<\(bytes.count) bytes>")
        case .array(let values): .string("<array of \(values.count)>")
        case .dictionary(let entries): .string("<dictionary of \(entries.count)>")
        }
    }
}
