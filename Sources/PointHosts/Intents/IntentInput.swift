// IntentInput: the values of parameters that a host gives, also as texts of a command line.

internal import Foundation
public import PointMessages

/// A value that a host gives for a parameter.
public enum IntentInput: Sendable, Hashable {
    /// A value of the parameter's type.
    case value(IntentValue)
    /// Texts, which the host reads by the parameter's type. Only a list takes several.
    case texts([String])

    /// Returns the value for a parameter.
    ///
    /// - Parameter type: the type of the parameter.
    /// - Returns: the value; nil if it has another type.
    public func value(of type: IntentType) -> IntentValue? {
        switch self {
        case .value(let value): return type.holds(value) ? value : nil
        case .texts(let texts):
            if type.isList {
                let values = texts.compactMap { Self.read($0, type.element) }
                return values.count == texts.count ? .list(values) : nil
            }
            return texts.count == 1 ? Self.read(texts[0], type) : nil
        }
    }

    /// Reads a text: a number, a truth value (`true`, `yes`), seconds since 1970 or a date of ISO 8601, the name or the
    /// number of a case, a person by address or name.
    private static func read(_ text: String, _ type: IntentType) -> IntentValue? {
        switch type.kind {
        case .text: return .text(text)
        case .integer: return Int(text).map { .integer($0) }
        case .number: return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
        case .boolean:
            switch text {
            case "true", "yes", "1": return .boolean(true)
            case "false", "no", "0": return .boolean(false)
            default: return nil
            }
        case .date: return date(text).map { .date($0.timeIntervalSince1970) }
        case .components: return components(text)
        case .url: return URL(string: text) == nil ? nil : .url(text)
        case .enumeration:
            if let number = type.cases?[text] { return .integer(number) }
            return Int(text).map { .integer($0) }.flatMap { type.holds($0) ? $0 : nil }
        case .record: return record(text, type.record ?? "")
        case .data, .unrecognized: return nil
        }
    }

    private static func date(_ text: String) -> Date? {
        if let seconds = Double(text) { return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil }
        return ISO8601DateFormatter().date(from: text)
    }

    /// Reads a date such as `2026-11-28`, or one with a time of ISO 8601.
    private static func components(_ text: String) -> IntentValue? {
        if let match = text.wholeMatch(of: /(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}))?/) {
            var numbers: [String: Int] = [:]
            numbers["year"] = Int(match.1)
            numbers["month"] = Int(match.2)
            numbers["day"] = Int(match.3)
            numbers["hour"] = match.4.flatMap { Int($0) }
            numbers["minute"] = match.5.flatMap { Int($0) }
            return .components(numbers)
        }
        return nil
    }

    private static func record(_ text: String, _ kind: String) -> IntentValue? {
        switch kind {
        case "person":
            // The numbers are those of INPersonHandleType.
            let isNumber = text.first.map { $0 == "+" || $0.isNumber } ?? false
            guard text.contains("@") || isNumber else { return .record(kind, ["name": .text(text)]) }
            return .record(
                kind,
                [
                    "name": .text(text),
                    "handle": .record("handle", ["value": .text(text), "type": .integer(isNumber ? 2 : 1)]),
                ])
        case "speakable": return .record(kind, ["phrase": .text(text)])
        case "media": return .record(kind, ["title": .text(text)])
        case "mediaSearch": return .record(kind, ["mediaName": .text(text)])
        case "noteContent": return .record(kind, ["text": .text(text)])
        case "task", "taskList":
            return .record(
                kind,
                ["title": .record("speakable", ["phrase": .text(text)])].merging(
                    kind == "taskList" ? ["tasks": .list([])] : [:]
                ) { $1 })
        case "message", "call": return .record(kind, ["identifier": .text(text)])
        case "range", "time", "recurrence", "money", "file", "image", "handle", "note", "callFilter":
            // A text does not describe one.
            return nil
        // An object of the author's own.
        default: return .record(kind, ["identifier": .text(text), "displayString": .text(text)])
        }
    }
}

extension IntentValue {
    /// The value in words, for people: the name of a person or an object, the text, or the number.
    public var words: String {
        switch self {
        case .text(let text), .url(let text): text
        case .integer(let number): "\(number)"
        case .number(let number), .date(let number): "\(number)"
        case .boolean(let truth): "\(truth)"
        case .components(let numbers):
            numbers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        case .data(let bytes): "\(bytes.count) bytes"
        case .list(let elements): elements.map(\.words).joined(separator: ", ")
        case .record(let kind, let members):
            Self.words(members) ?? kind
        }
    }

    private static func words(_ members: [String: IntentValue]) -> String? {
        let keys = [
            "displayString", "name", "phrase", "title", "mediaName", "text", "content", "value", "identifier",
        ]
        for key in keys { if let member = members[key] { return member.words } }
        return nil
    }
}
