import Foundation

/// A text that is kept.
public struct Pin {
    public let text: String

    public init?(_ text: String?) {
        guard let text, !text.isEmpty else { return nil }
        self.text = text
    }
}
