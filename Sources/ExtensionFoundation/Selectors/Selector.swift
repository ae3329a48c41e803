// Selector: the name of a method, as Objective-C writes it.

/// The name of a method: one colon for each argument, as in `tapped:` or `insert:at:`. Linux has no Objective-C. The source step
/// writes for each class a table from such names to methods (docs/source-step.md), and what takes a selector looks there.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Objective-C's name of the method.
    public let description: String
    /// The module whose source wrote it, empty if that is not known: an extension of a class of another module has its
    /// methods there.
    let module: String

    /// - Parameters:
    ///   - name: any text, as with Objective-C. A name that no class knows is one that nothing responds to.
    ///   - file: of the source that names it; left out by callers.
    public init(_ name: String, _ file: StaticString = #fileID) {
        description = name
        module = String("\(file)".prefix { $0 != "/" })
    }

    public init(stringLiteral value: String) {
        description = value
        module = ""
    }

    /// Of the same name.
    public static func == (left: Selector, right: Selector) -> Bool { left.description == right.description }
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// How many arguments the method takes.
    package var argumentCount: Int { description.utf8.count { $0 == 0x3A } }
}

/// The selector of that name: not for use. The source step writes it for `#selector`: `Selector("tapped:")` would be a literal,
/// of which nobody knows the module.
public func _sel(_ name: String, _ file: StaticString = #fileID) -> Selector { Selector(name, file) }

/// The selector of that name. Never fails.
public func NSSelectorFromString(_ name: String, _ file: StaticString = #fileID) -> Selector { Selector(name, file) }

/// The name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.description }

/// The selector of that name. Never fails: nothing needs to be registered here.
public func sel_registerName(_ name: String, _ file: StaticString = #fileID) -> Selector { Selector(name, file) }

/// The name of a selector.
public func sel_getName(_ selector: Selector) -> String { selector.description }
