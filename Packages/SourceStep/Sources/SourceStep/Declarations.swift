// Declarations: what the step knows of a target's types and their members.

/// One `class`, `struct`, `enum`, `actor`, `protocol` or `extension` with its members.
final class TypeBlock {
    enum Kind { case `class`, `extension`, `protocol`, value }

    let kind: Kind
    /// `["Outer", "Inner"]`. Of an extension as it is written.
    let path: [String]
    /// Superclass and protocols, as they are written.
    let inherited: [String]
    /// `@objcMembers`, or `@objc` of an extension.
    let exposesAll: Bool
    /// The name in `@objc(Name)`.
    let objectiveCName: String?
    /// Why an extension at the end of the file cannot reach the type; nil if it can.
    let obstacle: String?
    let conditions: [String]
    let place: Place
    var methods: [Method] = []
    var properties: [Property] = []
    /// `convenience init()` without `override`: a class that is found at run time has no other way to it.
    var initializers: [MemberTraits] = []
    /// The optional requirements of a protocol.
    var optionals: [OptionalRequirement] = []
    /// Whether other modules know it.
    var isPublic = false
    /// The overrides of an extension. Swift allows them for methods of Objective-C alone.
    var overrides: [Override] = []
    /// The brace at the end, of a class.
    var closingBrace: (offset: Int, place: Place)?

    struct Override {
        var range: Range<Int>
        var place: Place
        var conditions: [String]
    }

    init(
        kind: Kind, path: [String], inherited: [String], exposesAll: Bool, objectiveCName: String?, obstacle: String?,
        conditions: [String], place: Place
    ) {
        self.kind = kind
        self.path = path
        self.inherited = inherited
        self.exposesAll = exposesAll
        self.objectiveCName = objectiveCName
        self.obstacle = obstacle
        self.conditions = conditions
        self.place = place
    }

    /// `Outer.Inner`.
    var name: String { path.joined(separator: ".") }
}

/// The traits that methods and properties share.
struct MemberTraits {
    /// `@objc`, `@IBAction`, `@IBOutlet` and the like.
    var isExplicit = false
    /// The name in `@objc(name:)`.
    var objectiveCName: String?
    /// `static` or `class`.
    var ofType = false
    var isPrivate = false
    var isOverride = false
    /// `@available(*, unavailable)`.
    var isUnavailable = false
    var isNonObjectiveC = false
    var conditions: [String] = []
    var place = Place(line: 1, column: 1)
}

/// A type as it is written, with the names in it that a scope may have to qualify.
struct WrittenType: Equatable {
    struct Name: Equatable {
        /// In bytes from the start of the text.
        var offset: Int
        var name: String
    }

    var text: String
    var names: [Name] = []
}

struct Method {
    struct Parameter {
        /// Empty for `_`.
        var label: String
        var type: WrittenType
        /// Why Objective-C could not pass it.
        var obstacle: String?
        /// Whether the body does not mention it, so that an object of any class may stand for it.
        var isUnused = false
    }

    var traits: MemberTraits
    /// As written: with backticks.
    var written: String
    var parameters: [Parameter]
    /// Nil for Void.
    var returnType: String?
    var obstacle: String?

    var name: String { written.filter { $0 != "`" } }
    var labels: [String] { parameters.map(\.label) }
    /// The name and the labels, by which an override is recognized.
    var fullName: String { "\(name)(\(labels.map { $0 + ":" }.joined()))" }
    var selector: String { traits.objectiveCName ?? ObjectiveCName.method(name, labels: labels) }
    var firstObstacle: String? {
        if traits.ofType { return "it is a method of the type" }
        return obstacle ?? parameters.lazy.compactMap(\.obstacle).first
    }
}

struct Property {
    enum ValueType: Equatable {
        case written(WrittenType)
        /// By its initial value.
        case inferred
    }

    var traits: MemberTraits
    var written: String
    var type: ValueType
    var isSettable: Bool
    var getterName: String?
    var setterName: String?
    /// The edits by which a `dynamic` property reports its changes; empty for others.
    var reports: [Edit] = []

    var name: String { written.filter { $0 != "`" } }
    var getter: String { getterName ?? traits.objectiveCName ?? name }
    var setter: String { setterName ?? ObjectiveCName.setter(traits.objectiveCName ?? name) }
}
