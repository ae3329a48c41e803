// Sample: a message in the tests. The samples themselves are made from docs/protocol.schema.

import ExtensionProtocol
import PropertyListCoding

/// A message reduced to what the tests ask of each: its dictionary, its text, and how it is read again.
struct Sample: Sendable, CustomStringConvertible {
    let kind: MessageKind
    let dictionary: PropertyListDictionary
    /// Every stored value, by reflection; equal for equal messages.
    let text: String
    /// Keys that the bare form writes although a reader does without.
    let written: [Key]
    let read:
        @Sendable (PropertyListDictionary) throws(ProtocolError) -> (dictionary: PropertyListDictionary, text: String)

    init<M: Message>(_ message: M, writesThoughOptional written: [Key] = []) {
        kind = M.kind
        dictionary = message.dictionary
        text = String(reflecting: message)
        self.written = written
        read = { (dictionary) throws(ProtocolError) in
            let message = try M(dictionary: dictionary)
            return (message.dictionary, String(reflecting: message))
        }
    }

    var description: String { "\(kind) with \(dictionary.keys.joined(separator: ", "))" }

    /// The keys without which the message cannot be read; of the bare form.
    var required: [String] { dictionary.keys.filter { key in !written.contains { $0.rawValue == key } } }
}

extension Sample {
    /// Those that show what a message must have: the bare form of a kind, or the full one where all of it is required.
    static let least: [Sample] = bare + full.filter { sample in !bare.contains { $0.kind == sample.kind } }
}
