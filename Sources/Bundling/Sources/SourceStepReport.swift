// SourceStepReport: the tool's input and its answer, as JSON (docs/source-step.md).

struct SourceStepDescription: Encodable {
    struct Target: Encodable {
        var module: String
        var files: [String]
        /// The modules that an import finds; nil if they are not known.
        var known: [String]?
        /// Whether the target depends on the product `BackgroundTransfers`; nil if that is not known.
        var transfers: Bool?
        /// Whether the target depends on the product `Security`; nil if that is not known.
        var keychain: Bool?
    }

    var targets: [Target]
    var listsNames: Bool?
    var knownSources: [String]?
    var knownModules: [String]?
}

struct SourceStepReport: Decodable {
    struct File: Decodable {
        var original: String
        var copy: String?
        var changed: Bool
    }

    struct Note: Decodable {
        var code: String
        var file: String
        var line: Int
        var message: String
    }

    struct Use: Decodable {
        var name: String
        var file: String
        var line: Int
    }

    struct Target: Decodable {
        var module: String
        var files: [File]
        var notes: [Note]
        var missingModules: [Use]
        var undeclared: [Use]?

        init(module: String) {
            self.module = module
            (files, notes, missingModules) = ([], [], [])
        }
    }

    var targets: [Target]
}

extension ProjectFinding {
    /// Creates a finding about code that the step left unchanged. The compiler refuses some of it; nothing calls the
    /// rest.
    init(_ note: SourceStepReport.Note) {
        let code = Code(rawValue: note.code) ?? .notRewritten
        self.init(warning: code, note.file, line: note.line, note.message, remedy: Self.remedy(code))
    }

    private static func remedy(_ code: Code) -> String {
        switch code {
        case .notCallable:
            "Call it from Swift, or declare it so that Objective-C sees it without generics, async and throws"
        case .guessedSelector: "Write the name with its labels, as #selector(tapped(_:))"
        default: "Exclude it on Linux with #if !os(Linux); docs/source-step.md lists what the step rewrites"
        }
    }
}
