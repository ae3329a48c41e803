// CallSite: the place in a test that called the kit.

/// A place in a source file, as `#fileID`, `#filePath`, `#line` and `#column` give it.
public struct CallSite: Sendable, Hashable {
    /// The module and the file's name.
    public let fileID: String
    /// The file's path when it was compiled.
    public let filePath: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// The place in the form of compilers and editors.
    var prefix: String { "\(filePath):\(line): " }
}
