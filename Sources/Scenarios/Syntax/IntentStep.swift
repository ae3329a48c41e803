// IntentStep: an intent with the values of its parameters, and the person's answers.

/// An intent that a scenario or a command performs.
public struct IntentStep: Sendable, Hashable {
    /// A name with a value, as texts.
    public struct Pair: Sendable, Hashable {
        public let name: String
        public let value: String

        /// Reads `NAME=VALUE`; nil without a name or an equals sign.
        public init?(_ text: String) {
            guard let place = text.firstIndex(of: "="), place != text.startIndex else { return nil }
            (name, value) = (String(text[..<place]), String(text[text.index(after: place)...]))
        }
    }

    /// The name of the class.
    public var className: String
    /// The values at the beginning. A list has several with one name.
    public var parameters: [Pair]
    /// The answers to questions, in their order.
    public var replies: [Pair]
    /// Whether the device is locked.
    public var isLocked: Bool

    /// - Parameters:
    ///   - className: the name of the class.
    ///   - parameters: the values at the beginning.
    ///   - replies: the answers to questions.
    ///   - isLocked: whether the device is locked.
    public init(_ className: String, parameters: [Pair], replies: [Pair], isLocked: Bool) {
        (self.className, self.parameters, self.replies, self.isLocked) = (className, parameters, replies, isLocked)
    }
}
