// AudioFileFault: the reason why a file of audio or MIDI is refused.

public import ExtensionProtocol

/// A fault of a WAV or a MIDI file.
public struct AudioFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the fault.
    public enum Kind: String, Sendable, Hashable {
        /// The file is none of the kind. The description names its own kind, if it is a known one.
        case otherKind
        /// The file ends within what it announces.
        case cutShort
        /// A field has a value that cannot be.
        case malformed
        /// The file is a correct one of a form that is not read here.
        case unsupported
        /// The file has more than the reader's budget.
        case tooLarge
        /// The file cannot be opened, read or written.
        case inaccessible
    }

    /// The kind of the fault.
    public let kind: Kind
    /// The file, and what is wrong with it.
    public let description: String

    init(_ kind: Kind, _ path: String, _ text: String) {
        self.kind = kind
        description = "\(path) \(text)"
    }

    /// The fault as an error with a remedy.
    public var error: ExtensionHostError {
        let remedy =
            switch kind {
            case .otherKind, .unsupported: "Convert it: WAV of 16, 24 or 32 bits or float, or MIDI of format 0 or 1"
            case .cutShort, .malformed: "Write the file anew"
            case .tooLarge: "Use a shorter file"
            case .inaccessible: "Name a file that can be read, or a place that can be written"
            }
        return ExtensionHostError(kind == .tooLarge ? .payloadTooLarge : .invalidArgument, description, remedy: remedy)
    }
}
