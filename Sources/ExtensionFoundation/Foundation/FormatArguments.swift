// FormatArguments: Foundation's objects as arguments of a format, as with Objective-C.

public import Foundation

/// An object whose description replaces `%@` in `NSLog` and `String(format:)`: not for use.
///
/// Foundation on Linux takes only texts.
public protocol _DescribedArgument: NSObjectProtocol, _CVarArgObject {}

extension _DescribedArgument {
    /// The description, as a text.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// The encoding for a format that does not use the description: zero, as of a null pointer.
    public var _cVarArgEncoding: [Int] { [0] }
}

extension NSAttributedString: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSNumber: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSError: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSArray: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSDictionary: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSURL: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSMutableAttributedString {
    /// Makes an empty text: `NSMutableAttributedString()`.
    ///
    /// On Linux no initializer of Foundation's works without arguments.
    public convenience init(_ nothing: Void = ()) { self.init(string: "") }
}

/// Writes a line with objects by their descriptions, for those that are `NSObject` to the compiler.
@_disfavoredOverload public func NSLog(_ format: String, _ objects: NSObject...) {
    withVaList(objects.map { NSString(string: $0.description) }) { NSLogv(format, $0) }
}
