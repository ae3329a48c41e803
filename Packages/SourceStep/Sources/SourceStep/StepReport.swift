// StepReport: what the tool did, and what it could not do.

/// The output of the step. Encodes to JSON with sorted keys: the same input gives the same bytes.
public struct StepReport: Codable, Sendable, Equatable {
    public struct File: Codable, Sendable, Equatable {
        /// The author's file.
        public var original: String
        /// The rewritten copy; nil if the original can be compiled as it is.
        public var copy: String?
        /// Whether the copy's content differs from what the output folder held before.
        public var changed: Bool
    }

    /// Something in a file that the step leaves as it is.
    public struct Note: Codable, Sendable, Equatable {
        public enum Code: String, Codable, Sendable {
            /// A method or property gets no entry in a table, so nobody calls it by its selector.
            case notCallable
            /// A construct has no counterpart without an Objective-C runtime; the compiler refuses it.
            case notRewritten
            /// A `#selector` names what no file of the target declares, and the step guessed its Objective-C name.
            case guessedSelector
            /// The file cannot be read.
            case unreadable
        }

        public var code: Code
        public var file: String
        /// From 1, as the compiler counts: columns in bytes.
        public var line: Int
        public var column: Int
        /// Without a full stop.
        public var message: String
    }

    /// A class whose Objective-C name is not its Swift name: `@objc(Name)`.
    public struct NamedClass: Codable, Sendable, Equatable {
        /// `Name`.
        public var name: String
        /// With its module and the types around it: `Share.Controller`.
        public var type: String
    }

    /// A place in the author's files that uses a name.
    public struct Use: Codable, Sendable, Equatable {
        public var name: String
        public var file: String
        public var line: Int
    }

    public struct Target: Codable, Sendable, Equatable {
        public var module: String
        public var files: [File] = []
        public var notes: [Note] = []
        public var classes: [NamedClass] = []
        /// Imports of modules that are not known.
        public var missingModules: [Use] = []
        /// Types and functions that nobody declares, if the description asks for them.
        public var undeclared: [Use]?
    }

    public var targets: [Target] = []
}
