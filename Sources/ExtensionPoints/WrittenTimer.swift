// WrittenTimer: a timer's value as a property list says it.

import ExtensionProtocol
public import PropertyListCoding

extension Duration {
    /// The duration that a setting names: text such as `500ms`, or a number of seconds. Nil for anything else, negative ones and
    /// those of a billion seconds or more included.
    public init?(setting: PropertyList) {
        switch setting {
        case .string(let text): self.init(written: text)
        case .integer(let seconds) where seconds >= 0 && seconds < 1_000_000_000: self = .seconds(seconds)
        case .real(let seconds) where seconds >= 0 && seconds < 1e9: self = .seconds(seconds)
        default: return nil
        }
    }
}
