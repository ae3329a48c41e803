// KeyboardMessages: the calls of a custom keyboard.

public import ExtensionPointKit

/// Gives the keyboard the text that it types into: before any other call, and whenever another text becomes the input.
///
/// Each call of a host returns when the host has taken all edits that the keyboard's code has made during the call.
public struct KeysDocument: PointMessage {
    public static let name = "keys.document"
    public typealias Reply = KeysState
    /// The identifier of the text, in the form of a UUID.
    public var document: String
    public var traits: KeysTraits
    public var context: KeysContext
    public var settings: KeysSettings

    public init(document: String, traits: KeysTraits, context: KeysContext, settings: KeysSettings) {
        (self.document, self.traits) = (document, traits)
        (self.context, self.settings) = (context, settings)
    }
}

/// The values of a session that no text changes.
public struct KeysSettings: Codable, Sendable, Hashable {
    /// The width of the keyboard in points.
    public var width: Double
    /// The time in seconds after which the keyboard sees its own edits.
    public var mirrorDelay: Double
    /// Whether the keyboard must offer a way to the next one.
    public var needsSwitchKey: Bool
    /// Whether the user has given full access.
    public var fullAccess: Bool

    public init(width: Double, mirrorDelay: Double, needsSwitchKey: Bool, fullAccess: Bool) {
        (self.width, self.mirrorDelay) = (width, mirrorDelay)
        (self.needsSwitchKey, self.fullAccess) = (needsSwitchKey, fullAccess)
    }
}

/// The kind of a text. The place of each value is Apple's raw value. Both sides treat an unrecognized one as the first.
public struct KeysTraits: Codable, Sendable, Hashable {
    public enum Keyboard: String, OpenEnumeration, Hashable, CaseIterable {
        case `default`, asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad, emailAddress
        case decimalPad, twitter, webSearch, asciiCapableNumberPad, unrecognized
    }
    public enum Appearance: String, OpenEnumeration, Hashable, CaseIterable {
        case `default`, dark, light, unrecognized
    }
    public enum ReturnKey: String, OpenEnumeration, Hashable, CaseIterable {
        case `default`, go, google, join, next, route, search, send, yahoo, done, emergencyCall, `continue`
        case unrecognized
    }
    public enum Capitalization: String, OpenEnumeration, Hashable, CaseIterable {
        case none, words, sentences, allCharacters, unrecognized
    }
    /// Whether a help of the keyboard is wanted.
    public enum Help: String, OpenEnumeration, Hashable, CaseIterable {
        case `default`, no, yes, unrecognized
    }

    public var keyboard = Keyboard.default
    public var appearance = Appearance.default
    public var returnKey = ReturnKey.default
    public var capitalization = Capitalization.sentences
    public var correction = Help.default
    public var spellChecking = Help.default
    public var enablesReturnKeyAutomatically = false
    public var isSecure = false
    /// The meaning of the text, such as `email`; empty if it has none.
    public var content = ""

    /// Makes the traits of an ordinary text.
    public init() {}

    /// Whether the system's keyboard serves the text, and no custom one (documented).
    public var isForSystemOnly: Bool { isSecure || keyboard == .phonePad || keyboard == .namePhonePad }
}

/// The part of a text that a keyboard sees: the mirror.
public struct KeysContext: Codable, Sendable, Hashable {
    /// A number that grows with each change of the text: of two values the one with the higher number is the newer.
    public var sequence: Int
    /// Whether the text has a character anywhere.
    public var hasText: Bool
    /// The text before the insertion point, at most from the start of its paragraph; absent if there is none.
    public var before: String?
    /// The selected text; absent if there is none.
    public var selected: String?
    /// The text after the insertion point, at most to the end of its paragraph; absent if there is none.
    public var after: String?

    public init(sequence: Int, hasText: Bool, before: String?, selected: String?, after: String?) {
        (self.sequence, self.hasText) = (sequence, hasText)
        (self.before, self.selected, self.after) = (before, selected, after)
    }
}

/// Reports a change of the text that the keyboard has not made.
public struct KeysChange: PointMessage {
    public static let name = "keys.change"
    public typealias Reply = KeysState
    public var context: KeysContext
    /// Whether only the insertion point or the selection has moved.
    public var isMove: Bool
    public init(_ context: KeysContext, isMove: Bool) { (self.context, self.isMove) = (context, isMove) }
}

/// The keyboard after a call.
public struct KeysState: Codable, Sendable, Hashable {
    /// The names, titles and texts of the elements that can be used, in the order of the view; at most 512.
    public var keys: [String]
    /// The height of the view in points.
    public var height: Double
    /// Whether the keyboard has offered a way to the next one so far, as far as the framework can see.
    public var offersSwitch: Bool

    public init(keys: [String], height: Double, offersSwitch: Bool) {
        (self.keys, self.height, self.offersSwitch) = (keys, height, offersSwitch)
    }
}

/// Shows the keyboard's view.
public struct KeysAppear: PointMessage {
    public static let name = "keys.appear"
    public typealias Reply = KeysState
    public init() {}
}

/// Removes the keyboard's view. It may appear again.
public struct KeysDisappear: PointMessage {
    public static let name = "keys.disappear"
    public typealias Reply = KeysState
    public init() {}
}

/// Taps a key. The number makes a repeated call after a restart of the daemon one tap.
public struct KeysTap: PointMessage {
    public static let name = "keys.tap"
    public typealias Reply = KeysState
    /// The number of the tap, from 1 in each session; 0 for a tap that is never repeated.
    public var number: Int
    /// The name or title of the key.
    public var key: String?
    /// The place of the key among the view's buttons, from 0, if it has no name here.
    public var place: Int?

    public init(number: Int, key: String? = nil, place: Int? = nil) {
        (self.number, self.key, self.place) = (number, key, place)
    }
}

/// Ends the session of the keyboard. Its request completes without items.
public struct KeysEnd: PointMessage {
    public static let name = "keys.end"
    public typealias Reply = KeysState
    public init() {}
}

/// The keyboard's call: edits in the order in which its code made them. At most one such call of a session is open.
///
/// A call that is repeated after a restart of the daemon has the same numbers, and a host passes over an edit that it
/// has. So no edit is lost, and none acts twice.
public struct KeysEdits: PointMessage {
    public static let name = "keys.edits"
    /// The maximum number of edits in one call.
    public static let maximumCount = 128

    public struct Reply: Codable, Sendable, Hashable {
        /// The mirror after the last edit.
        public var context: KeysContext
        public init(_ context: KeysContext) { self.context = context }
    }

    /// The text for which the keyboard made the edits.
    public var document: String
    /// The number of the first edit, from 1 in each session.
    public var first: Int
    public var edits: [KeysEdit]

    public init(document: String, first: Int, edits: [KeysEdit]) {
        (self.document, self.first, self.edits) = (document, first, edits)
    }
}

/// One edit, or another wish of the keyboard.
public struct KeysEdit: Codable, Sendable, Hashable {
    public enum Kind: String, OpenEnumeration, Hashable {
        /// Replaces the selection by `text`.
        case insert
        /// Deletes the selection, or else the character before the insertion point.
        case delete
        /// Moves the insertion point by `location` UTF-16 units.
        case move
        /// Replaces marked text by `text`, and selects `length` units of it from `location` on.
        case mark
        /// Keeps marked text as ordinary text.
        case unmark
        /// Asks for the next keyboard, or for the list of keyboards.
        case nextInputMode, inputModeList
        /// Asks the host to remove the keyboard.
        case dismiss
        /// Changes the language of the keyboard to `text`.
        case language
        /// An edit of a newer keyboard, which a host passes over.
        case unrecognized
    }

    public var kind: Kind
    public var text: String?
    public var location: Int?
    public var length: Int?

    public init(_ kind: Kind, text: String? = nil, location: Int? = nil, length: Int? = nil) {
        (self.kind, self.text, self.location, self.length) = (kind, text, location, length)
    }
}

/// The keyboard's call: it asks for the user's words.
public struct KeysLexicon: PointMessage {
    public static let name = "keys.lexicon"

    /// A word or a shortcut, and the text that it stands for.
    public struct Entry: Codable, Sendable, Hashable {
        public var userInput: String
        public var documentText: String
        public init(userInput: String, documentText: String) {
            (self.userInput, self.documentText) = (userInput, documentText)
        }
    }

    public struct Reply: Codable, Sendable {
        public var entries: [Entry]
        public init(_ entries: [Entry]) { self.entries = entries }
    }

    public init() {}
}
