// ConfidentialText: a text that travels with a mark, so that no recording has it.

import ExtensionWire

/// A text such as a password, as a value of a vocabulary.
///
/// It travels with a mark. A recording of a session has a placeholder in its place, also with the contents of requests.
/// Descriptions and dumps do not show the text.
public struct ConfidentialText: Codable, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself. Keep it out of logs.
    public let text: String

    /// Makes a value of a text.
    public init(_ text: String) { self.text = text }

    private struct Key: CodingKey {
        static let mark = Key()
        let stringValue = Confidential.key
        let intValue: Int? = nil
        init() {}
        init?(stringValue: String) { guard stringValue == Confidential.key else { return nil } }
        init?(intValue: Int) { nil }
    }

    /// Reads a marked text.
    ///
    /// - Throws: `DecodingError` for a text without the mark.
    public init(from decoder: any Decoder) throws {
        text = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .mark)
    }

    /// Writes the text with the mark.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(text, forKey: .mark)
    }

    public var description: String { Confidential.placeholder }
    public var debugDescription: String { Confidential.placeholder }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
