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

    /// The view of an intent, in place of its steps.
    public struct View: Sendable, Hashable {
        /// The name of the response's code; `none`: there is no response.
        public var code = "success"
        /// The properties of the response.
        public var results: [Pair] = []
        /// The intents extension that performs the intent first; nil: none does.
        public var handler: String?

        /// Makes a view of a response with the code `success`.
        public init() {}
    }

    /// The name of the class.
    public var className: String
    /// The values at the beginning. A list has several with one name.
    public var parameters: [Pair]
    /// The answers to questions, in their order.
    public var replies: [Pair]
    /// Whether the device is locked.
    public var isLocked: Bool
    /// The view that is shown; nil: the intent is performed.
    public var view: View?

    /// - Parameters:
    ///   - className: the name of the class.
    ///   - parameters: the values at the beginning.
    ///   - replies: the answers to questions.
    ///   - isLocked: whether the device is locked.
    public init(_ className: String, parameters: [Pair], replies: [Pair], isLocked: Bool) {
        (self.className, self.parameters, self.replies, self.isLocked) = (className, parameters, replies, isLocked)
    }
}
