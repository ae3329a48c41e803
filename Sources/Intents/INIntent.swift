// INIntent: intents, responses, and the objects that a handler answers with.

public import ExtensionFoundation
public import Foundation
public import PointMessages

/// An action of a person with an app. A class of an author's own has the tables of `CustomIntents.swift`.
open class INIntent: NSObject {
    /// The identifier, which the host gives. Nil for an intent that the author has made.
    open internal(set) var identifier: String?
    /// The description of the intent, for people.
    open var intentDescription: String? { nil }
    /// The phrase that a person could say. Nothing hears it here.
    open var suggestedInvocationPhrase: String?
    /// The pictures of parameters, which nothing shows.
    var images: [AnyKeyPath: INImage] = [:]

    /// Makes an intent without values.
    public required override init() {}

    /// The parameters in the order of their resolution. A subclass overrides it.
    open class var _parameters: [_IntentParameter] { [] }
    /// The protocol of the handlers; nil for a class that has none. A subclass overrides it.
    open class var _handling: _IntentHandling? { nil }
}

/// The answer of a handler to an intent.
open class INIntentResponse: NSObject {
    /// The activity with which the app continues.
    open var userActivity: NSUserActivity?

    /// Makes a response without values.
    public required override init() {}

    /// The code. A subclass overrides it.
    open var _code: _IntentCode { .unspecified }
    /// Sets the code by its number, for a response that another process has made. A subclass overrides it.
    ///
    /// - Parameter number: the number; one that no code has changes nothing.
    open func _setCode(_ number: Int) {}
    /// The properties that reach the host. A subclass overrides it.
    open class var _properties: [_IntentProperty] { [] }
}

/// An object that can be spoken of.
public protocol INSpeakable: NSObjectProtocol {
    /// The words.
    var spokenPhrase: String { get }
    /// The words as they are pronounced.
    var pronunciationHint: String? { get }
    /// The identifier in the app's vocabulary.
    var vocabularyIdentifier: String? { get }
    /// Other words for the object.
    var alternativeSpeakableMatches: [any INSpeakable]? { get }
}

extension INSpeakableString: INSpeakable {
    public var alternativeSpeakableMatches: [any INSpeakable]? { nil }
}

/// A value of an author's own type, or one choice of many.
open class INObject: NSObject, INSpeakable, _IntentRepresentable {
    /// The identifier by which the app knows the object.
    public let identifier: String?
    /// The name, for people.
    public let displayString: String
    /// The name as it is pronounced.
    public let pronunciationHint: String?
    /// The second line, for people.
    open var subtitleString: String?
    /// The picture.
    open var displayImage: INImage?
    /// Other words for the object.
    open var alternativeSpeakableMatches: [any INSpeakable]?

    open var spokenPhrase: String { displayString }
    open var vocabularyIdentifier: String? { identifier }

    /// - Parameters:
    ///   - identifier: the identifier by which the app knows the object.
    ///   - displayString: the name, for people.
    ///   - pronunciationHint: the name as it is pronounced.
    public required init(identifier: String?, display displayString: String, pronunciationHint: String?) {
        (self.identifier, self.displayString, self.pronunciationHint) = (identifier, displayString, pronunciationHint)
    }

    /// - Parameters:
    ///   - identifier: the identifier by which the app knows the object.
    ///   - displayString: the name, for people.
    public convenience init(identifier: String?, display displayString: String) {
        self.init(identifier: identifier, display: displayString, pronunciationHint: nil)
    }

    /// - Parameters:
    ///   - identifier: the identifier by which the app knows the object.
    ///   - displayString: the name, for people.
    ///   - subtitleString: the second line.
    ///   - displayImage: the picture.
    public convenience init(
        identifier: String?, display displayString: String, subtitle subtitleString: String?,
        image displayImage: INImage?
    ) {
        self.init(identifier: identifier, display: displayString, pronunciationHint: nil)
        (self.subtitleString, self.displayImage) = (subtitleString, displayImage)
    }

    /// - Parameters:
    ///   - identifier: the identifier by which the app knows the object.
    ///   - displayString: the name, for people.
    ///   - pronunciationHint: the name as it is pronounced.
    ///   - subtitleString: the second line.
    ///   - displayImage: the picture.
    public convenience init(
        identifier: String?, display displayString: String, pronunciationHint: String?,
        subtitle subtitleString: String?, image displayImage: INImage?
    ) {
        self.init(identifier: identifier, display: displayString, pronunciationHint: pronunciationHint)
        (self.subtitleString, self.displayImage) = (subtitleString, displayImage)
    }

    /// The properties of a subclass, which travel with the object. A subclass overrides it.
    open class var _properties: [_IntentProperty] { [] }

    public class var _intentType: IntentType { IntentType(.record, record: "\(self)") }

    public class func _make(from value: IntentValue?) -> Any? {
        guard case .record(let kind, let values)? = value, kind == "\(self)" else { return nil }
        let members = IntentMembers(values)
        guard let display: String = members("displayString") else { return nil }
        let object = self.init(
            identifier: members("identifier"), display: display, pronunciationHint: members("pronunciationHint"))
        (object.subtitleString, object.displayImage) = (members("subtitleString"), members("displayImage"))
        for property in _properties where !property.set(object, values[property.name]) { return nil }
        return object
    }

    public var _intentValue: IntentValue? {
        let type = Swift.type(of: self)
        var values = IntentMembers([
            "identifier": identifier, "displayString": displayString, "pronunciationHint": pronunciationHint,
            "subtitleString": subtitleString, "displayImage": displayImage,
        ]).values
        for property in type._properties { values[property.name] = property.get(self) }
        return .record("\(type)", values)
    }
}

/// Objects in sections, from which a person chooses. Only the Shortcuts app shows them, which does not exist here.
open class INObjectCollection<ObjectType: NSObject>: NSObject {
    /// The sections.
    public let sections: [INObjectSection<ObjectType>]
    /// Whether the objects are sorted by an index of their names.
    open var usesIndexedCollation = false

    /// The objects of all sections.
    open var allItems: [ObjectType] { sections.flatMap(\.items) }

    /// - Parameter sections: the sections.
    public init(sections: [INObjectSection<ObjectType>]) { self.sections = sections }

    /// - Parameter items: the objects of the only section.
    public convenience init(items: [ObjectType]) { self.init(sections: [INObjectSection(title: nil, items: items)]) }
}

/// Objects with a title.
open class INObjectSection<ObjectType: NSObject>: NSObject {
    /// The title; nil for none.
    public let title: String?
    /// The objects.
    public let items: [ObjectType]

    /// - Parameters:
    ///   - title: the title.
    ///   - items: the objects.
    public init(title: String?, items: [ObjectType]) { (self.title, self.items) = (title, items) }
}

/// An intent that keeps pictures of its parameters: not for use.
public protocol _IntentPictures: INIntent {}

extension INIntent: _IntentPictures {}

extension _IntentPictures {
    /// Sets the picture of a parameter. It is kept only: nothing shows it.
    ///
    /// - Parameters:
    ///   - image: the picture.
    ///   - parameterName: the parameter.
    public func setImage<Value>(_ image: INImage?, forParameterNamed parameterName: KeyPath<Self, Value>) {
        images[parameterName] = image
    }

    /// Returns the picture that was set.
    ///
    /// - Parameter parameterName: the parameter.
    public func image<Value>(forParameterNamed parameterName: KeyPath<Self, Value>) -> INImage? {
        images[parameterName]
    }
}

extension NSString {
    /// Returns a text of the main bundle in its language, with the arguments (ours: at once, and not in the language of
    /// the assistant).
    ///
    /// - Parameters:
    ///   - format: the key of the text, or the text itself.
    ///   - args: the arguments of the format.
    public class func deferredLocalizedIntentsString(with format: String, _ args: any CVarArg...) -> NSString {
        let text: String = Bundle.main.localizedString(forKey: format, value: nil, table: nil)
        return NSString(string: args.isEmpty ? text : String(format: text, arguments: args))
    }
}
