// UITextInputTraits: the look and the help of a keyboard, which have no effect.

public import Foundation

public enum UIKeyboardType: Int, Sendable {
    case `default`, asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad, emailAddress,
        decimalPad, twitter
    case webSearch, asciiCapableNumberPad
}
public enum UIKeyboardAppearance: Int, Sendable { case `default`, dark, light }
public enum UIReturnKeyType: Int, Sendable {
    case `default`, go, google, join, next, route, search, send, yahoo, done, emergencyCall, `continue`
}
public enum UITextAutocapitalizationType: Int, Sendable { case none, words, sentences, allCharacters }
public enum UITextAutocorrectionType: Int, Sendable { case `default`, no, yes }
public enum UITextSpellCheckingType: Int, Sendable { case `default`, no, yes }

public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var name: UITextContentType { UITextContentType(rawValue: "name") }
    public static var emailAddress: UITextContentType { UITextContentType(rawValue: "email") }
    public static var username: UITextContentType { UITextContentType(rawValue: "username") }
    public static var password: UITextContentType { UITextContentType(rawValue: "password") }
    public static var URL: UITextContentType { UITextContentType(rawValue: "url") }
    public static var oneTimeCode: UITextContentType { UITextContentType(rawValue: "one-time-code") }
}

/// An object that a person types into. Its properties, optional ones in Objective-C, are those of each kind of text.
@MainActor @preconcurrency public protocol UITextInputTraits: NSObjectProtocol {}

/// Frameworks of extension points without a keyboard switch it off.
@MainActor package enum TextEntry {
    /// Whether texts become the first responder.
    package static var isPossible = true
}
