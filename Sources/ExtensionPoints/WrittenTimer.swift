// WrittenTimer: the value of a timer in a property list.

import ExtensionProtocol
public import PropertyListCoding

extension Duration {
    /// Reads the duration that a setting names: text such as `500ms`, or a number of seconds.
    ///
    /// It is nil for anything else, including negative numbers and a billion seconds or more.
    public init?(setting: PropertyList) {
        switch setting {
        case .string(let text): self.init(written: text)
        case .integer(let seconds) where seconds >= 0 && seconds < 1_000_000_000: self = .seconds(seconds)
        case .real(let seconds) where seconds >= 0 && seconds < 1e9: self = .seconds(seconds)
        default: return nil
        }
    }
}
