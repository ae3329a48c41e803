// CallSite: the place in a test that called the kit.

/// A place in a source file, as `#fileID`, `#filePath`, `#line` and `#column` give it.
public struct CallSite: Sendable, Hashable {
    /// The module and the file's name.
    public let fileID: String
    /// The file's path when it was compiled.
    public let filePath: String
    /// From 1.
    public let line: Int
    /// From 1.
    public let column: Int

    /// As compilers and editors write it.
    var prefix: String { "\(filePath):\(line): " }
}
