// ScriptFailure: the failure of an extension's script in a page.

internal import PageMessages

/// The failure of a script in a page (`scriptFailed`).
public struct ScriptFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The script threw an exception, or is no JavaScript.
        case exception
        /// The bundle has no such file, or it cannot be read.
        case noFile
        /// The file defines no global object named `ExtensionPreprocessingJS`.
        case noObject
        /// The object has no such function.
        case noFunction
        /// The results are no property list.
        case unsuitableResults
        /// The page, the script or the results exceed a bound.
        case tooLarge
        /// The function did not end, or did not call `completionFunction`, within the limit.
        case timedOut
        /// The page host took more than 1 GiB of memory, or started more than 1,024 threads.
        case memory
        /// The page host ended by itself.
        case interrupted
    }

    /// The kind of the failure.
    public let reason: Reason
    /// The failure in words; of an exception its own text.
    public let message: String
    /// The file in which an exception was thrown; empty if unknown.
    public let file: String
    /// The line of an exception, from 1; 0 if unknown.
    public let line: Int
    /// The column of an exception, from 1; 0 if unknown.
    public let column: Int
    /// The stack of an exception, a call a line, in the engine's own form; empty if unknown.
    public let stack: String

    /// Makes a failure.
    public init(
        _ reason: Reason, _ message: String, file: String = "", line: Int = 0, column: Int = 0, stack: String = ""
    ) {
        (self.reason, self.message, self.file) = (reason, message, file)
        (self.line, self.column, self.stack) = (line, column, stack)
    }

    public var description: String {
        let place = file.isEmpty ? "" : line > 0 ? " (\(file), line \(line), column \(column))" : " (\(file))"
        return "scriptFailed: \(message)\(place)"
    }
}
