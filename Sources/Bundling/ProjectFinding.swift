// ProjectFinding: one fault of a folder that is to become an app, where it is, and what to do about it.

public import BundleLint

/// What lint finds in a bundle, told of the file that it was made from; and what keeps a bundle from being made at all.
public struct ProjectFinding: Sendable, Hashable {
    /// Kinds of fault that no bundle has, beside those of `LintCode`. Names are stable; docs/bundling.md has a row for each.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The folder holds no `Info.plist`, and no target that should have one.
        case nothingToBundle
        /// Every `Info.plist` is an extension's.
        case noAppTarget
        /// None is.
        case noExtensionTarget
        /// An extension's identifier begins with that of none of several apps.
        case appUnclear
        /// Two apps, or two extensions of one, would lie in one place.
        case nameTaken
        /// `CFBundleExecutable` names neither a file of the folder nor a product.
        case programUnknown
        /// A line of settings, in a file or on the command line, that is none.
        case settingInvalid
        /// SwiftPM does not understand the package.
        case packageUnreadable
        /// There is no `swift` to build with.
        case swiftMissing
        /// What the compiler or the linker says.
        case buildFailed
        /// The bundle could not be written.
        case notWritten
        /// A `project.pbxproj` that is none, or holds nothing.
        case projectUnreadable
        /// A file that the project names and that is not there.
        case fileMissing
        /// A target with Objective-C, C or a model among its sources.
        case foreignSource
        /// Modules that neither the toolchain, the kit nor the project has.
        case modulesMissing
        /// A target that a bundle of all does not hold, and why.
        case targetLeftOut
        /// No folder of exthost for the generated package to stand on.
        case kitMissing
        /// A setting that nobody knows, which becomes empty, as in Xcode.
        case settingUnknown
        /// A storyboard, a nib or an asset catalog that cannot be read.
        case interfaceUnreadable
        /// What a storyboard has and is not simulated.
        case interfaceUnsupported
        /// A file that would lie where another one does, or is compiled by Xcode alone.
        case resourceLeftOut
        /// Sources have words of Objective-C, and the tool that rewrites them is not there or fails.
        case sourceStepMissing
        /// A warning: nobody calls a method by its selector.
        case notCallable
        /// A warning: the source step leaves something as it is.
        case notRewritten
        /// A warning: a project's extension names a class and a storyboard, and the class is used.
        case storyboardUnused
        /// A warning: a `#selector` names a method that the target does not declare.
        case guessedSelector

        /// What is known and does not keep a bundle from being made is a warning.
        var severity: LintFinding.Severity {
            switch self {
            case .targetLeftOut, .settingUnknown, .interfaceUnsupported, .resourceLeftOut, .notCallable, .notRewritten,
                .guessedSelector, .storyboardUnused:
                .warning
            default: .error
            }
        }
    }

    public let severity: LintFinding.Severity
    /// That of a `Code`, or of a `LintCode`.
    public let code: String
    /// The author's own file or folder.
    public let file: String
    /// The way to the key from the top of the property list, with dots between; nil where no key is concerned.
    public let key: String?
    /// From 1.
    public let line: Int?
    /// Without a full stop.
    public let message: String
    public let remedy: String

    init(_ code: Code, _ file: String, key: String? = nil, line: Int? = nil, _ message: String, remedy: String) {
        severity = code.severity
        self.code = code.rawValue
        self.file = file
        self.key = key
        self.line = line
        self.message = message
        self.remedy = remedy
    }

    /// A fault that keeps no bundle from being made.
    init(warning code: Code, _ file: String, line: Int, _ message: String, remedy: String) {
        severity = .warning
        self.code = code.rawValue
        self.file = file
        key = nil
        self.line = line
        self.message = message
        self.remedy = remedy
    }

    /// One that lint would find, of a file that has not become part of a bundle.
    init(_ code: LintCode, _ file: String, key: String? = nil, line: Int? = nil, _ message: String, remedy: String) {
        severity = code.severity
        self.code = code.rawValue
        self.file = file
        self.key = key
        self.line = line
        self.message = message
        self.remedy = remedy
    }

    /// The same at another place.
    func placed(_ place: (String) -> String) -> ProjectFinding { ProjectFinding(self, file: place(file)) }

    private init(_ finding: ProjectFinding, file: String) {
        severity = finding.severity
        code = finding.code
        self.file = file
        key = finding.key
        line = finding.line
        message = finding.message
        remedy = finding.remedy
    }

    /// What lint found in a bundle; `place` says where a path in it comes from.
    init(_ finding: LintFinding, from place: (String) -> String) {
        severity = finding.severity
        code = finding.code.rawValue
        file = place(finding.file)
        key = finding.key
        line = finding.line
        message = place(finding.message)
        remedy = place(finding.remedy)
    }
}

/// Why there is no bundle. All that is known, not the first of it.
public struct ProjectError: Error, Sendable {
    public let findings: [ProjectFinding]

    init(_ findings: [ProjectFinding]) { self.findings = findings }
    init(_ finding: ProjectFinding) { findings = [finding] }
}
