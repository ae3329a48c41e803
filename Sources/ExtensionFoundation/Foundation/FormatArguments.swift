// FormatArguments: Foundation's objects as arguments of a format, as they are with Objective-C.

public import Foundation

/// An object that stands for `%@` in `NSLog` and `String(format:)` by its description: not for use. Foundation on Linux
/// takes texts alone.
public protocol _DescribedArgument: NSObjectProtocol, _CVarArgObject {}

extension _DescribedArgument {
    /// The description, as a text.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// Of whoever does not ask for the description: nothing, as of a null pointer.
    public var _cVarArgEncoding: [Int] { [0] }
}

extension NSAttributedString: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSNumber: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSError: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSArray: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSDictionary: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}
extension NSURL: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSMutableAttributedString {
    /// An empty text: `NSMutableAttributedString()`. On Linux no initializer of Foundation's does without arguments.
    public convenience init(_ nothing: Void = ()) { self.init(string: "") }
}
