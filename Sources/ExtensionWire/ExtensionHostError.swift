// ExtensionHostError: the one error that people meet: what happened, why, and what to do about it.

/// An error of the daemon or of a kit.
///
/// The wire carries code and message. With the domain, which is always `ExtensionHostError.domain`, they are what an
/// `NSError` needs.
public struct ExtensionHostError: Error, Sendable, Hashable, WireStructure, CustomStringConvertible {
    public static let domain = "org.exthost.ExtensionHost"

    public var code: Code
    /// The event and its reason, in one sentence.
    public var message: String
    /// The action that the reader can take. Nil only in an error that a peer sent without one.
    public var remedy: String?
    /// The underlying failure, as text.
    public var cause: String?

    /// Makes an error. `remedy` replaces the code's own remedy if there is a better one.
    public init(_ code: Code, _ message: String, remedy: String? = nil, cause: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy ?? code.remedy
        self.cause = cause
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        code = Code(rawValue: try fields.value(.code)) ?? .unrecognized
        message = try fields.value(.message)
        remedy = try fields.optional(.remedy)
        cause = try fields.optional(.cause)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.code, code.rawValue)
        fields.set(.message, message)
        fields.set(.remedy, remedy)
        fields.set(.cause, cause)
    }

    public var description: String {
        var text = message
        if let cause { text += ": \(cause)" }
        if let remedy { text += ". \(remedy)" }
        return text
    }
}
