// Selector: the name of a method, as Objective-C writes it.

/// The name of a method: one colon for each argument, as in `tapped:` or `insert:at:`.
///
/// Linux has no Objective-C. The source step writes for each class a table from such names to methods
/// (docs/source-step.md), and every function with a selector looks it up there.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The Objective-C name of the method.
    public let description: String
    /// The module whose source contains the selector; empty if that is not known.
    ///
    /// An extension of a class of another module has its methods there.
    let module: String

    /// - Parameters:
    ///   - name: any text, as with Objective-C. No object responds to a name that no class has.
    ///   - file: the source file that names it; callers omit it.
    public init(_ name: String, _ file: StaticString = #fileID) {
        description = name
        module = String("\(file)".prefix { $0 != "/" })
    }

    public init(stringLiteral value: String) {
        description = value
        module = ""
    }

    /// Returns whether both have the same name.
    public static func == (left: Selector, right: Selector) -> Bool { left.description == right.description }
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// The number of arguments that the method takes.
    package var argumentCount: Int { description.utf8.count { $0 == 0x3A } }
}

/// Returns the selector of that name: not for use.
///
/// The source step writes it for `#selector`: `Selector("tapped:")` would be a literal, whose module is not known.
public func _sel(_ name: String, _ file: StaticString = #fileID) -> Selector { Selector(name, file) }

/// Returns the selector of that name. Never fails.
public func NSSelectorFromString(_ name: String, _ file: StaticString = #fileID) -> Selector { Selector(name, file) }

/// Returns the name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.description }

/// Returns the selector of that name. Never fails: no registration is needed here.
public func sel_registerName(_ name: String, _ file: StaticString = #fileID) -> Selector { Selector(name, file) }

/// Returns the name of a selector.
public func sel_getName(_ selector: Selector) -> String { selector.description }
