// MessageReader: every kind of message, read from a dictionary, written, and read again.

import ExtensionProtocol
import PropertyListCoding

struct MessageReader: Sendable {
    let kind: MessageKind
    /// Whether the dictionary is such a message; a refusal is checked as one.
    let accepts: @Sendable (PropertyListDictionary) -> Bool

    init<M: Message>(_ type: M.Type) {
        kind = M.kind
        accepts = { dictionary in
            let message: M
            do {
                message = try M(dictionary: dictionary)
            } catch {
                checkText(of: error)
                return false
            }
            let written = message.dictionary
            guard let again = try? M(dictionary: written) else {
                finding("\(M.kind) refuses what it wrote itself: \(written)")
            }
            // Reals may be not-a-number, so neither is compared by equality.
            must(
                isSame(.dictionary(again.dictionary), .dictionary(written)), "\(M.kind) changes by writing and reading")
            must("\(again)" == "\(message)", "\(M.kind) is another message after writing and reading")
            return true
        }
    }

    static let all = Dictionary(uniqueKeysWithValues: list.map { ($0.kind, $0) })
}
