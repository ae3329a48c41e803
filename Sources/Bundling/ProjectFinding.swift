// ProjectFinding: one fault of a folder that is to become an app, with its place and its remedy.

public import BundleLint

/// A fault of a bundle, at the source file that it comes from, or a fault that keeps a bundle from being made.
public struct ProjectFinding: Sendable, Hashable {
    /// The kinds of fault that no bundle has, in addition to those of `LintCode`.
    ///
    /// Names are stable; docs/bundling.md has a row for each.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The folder holds no `Info.plist`, and no target that should have one.
        case nothingToBundle
        /// Every `Info.plist` is an extension's.
        case noAppTarget
        /// No `Info.plist` is an extension's.
        case noExtensionTarget
        /// The identifier of an extension begins with that of none of several apps.
        case appUnclear
        /// Two apps, or two extensions of one, would have the same path.
        case nameTaken
        /// An extension has the point of broadcasts of iOS 10, and nothing tells which of the two new ones it needs.
        case pointUnclear
        /// `CFBundleExecutable` names neither a file of the folder nor a product.
        case programUnknown
        /// A framework's target belongs to no product that is a dynamic library.
        case frameworkNotDynamic
        /// A line of settings, in a file or on the command line, is invalid.
        case settingInvalid
        /// SwiftPM does not understand the package.
        case packageUnreadable
        /// There is no `swift` to build with.
        case swiftMissing
        /// The compiler or the linker reports an error.
        case buildFailed
        /// The bundle could not be written.
        case notWritten
        /// A `project.pbxproj` is invalid or empty.
        case projectUnreadable
        /// The project names a file that does not exist.
        case fileMissing
        /// A target has Objective-C, C or a model among its sources.
        case foreignSource
        /// Some modules exist neither in the toolchain, nor in the kit, nor in the project.
        case modulesMissing
        /// A target is omitted from a bundle of all targets; the message says why.
        case targetLeftOut
        /// No folder of exthost is known that the generated package could depend on.
        case kitMissing
        /// A setting is unknown, and becomes empty, as in Xcode.
        case settingUnknown
        /// A storyboard, a nib or an asset catalog cannot be read.
        case interfaceUnreadable
        /// A storyboard has a feature that is not simulated.
        case interfaceUnsupported
        /// A file would replace another one, or only Xcode compiles it.
        case resourceLeftOut
        /// A warning: no classes are generated from a definition of intents, which cannot be read.
        case intentsUnreadable
        /// A warning: an element of a definition of intents is not generated.
        case intentLeftOut
        /// A warning: no class is generated from a Core ML model.
        case modelUnreadable
        /// A warning: the predictions of a Core ML model throw.
        case modelNotRun
        /// Sources use Objective-C features, and the tool that rewrites them is missing or fails.
        case sourceStepMissing
        /// A warning: no code can call a method by its selector.
        case notCallable
        /// A warning: the source step leaves something unchanged.
        case notRewritten
        /// A warning: a project's extension names both a class and a storyboard, and the class is used.
        case storyboardUnused
        /// A warning: a `#selector` names a method that the target does not declare.
        case guessedSelector

        /// The severity: a fault that does not keep a bundle from being made is a warning.
        var severity: LintFinding.Severity {
            switch self {
            case .targetLeftOut, .settingUnknown, .interfaceUnsupported, .resourceLeftOut, .notCallable, .notRewritten,
                .guessedSelector, .storyboardUnused, .intentsUnreadable, .intentLeftOut, .modelUnreadable, .modelNotRun:
                .warning
            default: .error
            }
        }
    }

    public let severity: LintFinding.Severity
    /// The name of a `Code`, or of a `LintCode`.
    public let code: String
    /// The author's own file or folder.
    public let file: String
    /// The key path from the top of the property list, joined by dots; nil if no key is concerned.
    public let key: String?
    /// The line, from 1.
    public let line: Int?
    /// The message, without a full stop.
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

    /// Creates a warning, which does not keep a bundle from being made.
    init(warning code: Code, _ file: String, line: Int, _ message: String, remedy: String) {
        severity = .warning
        self.code = code.rawValue
        self.file = file
        key = nil
        self.line = line
        self.message = message
        self.remedy = remedy
    }

    /// Creates a finding that lint would make, for a file that is not yet part of a bundle.
    init(_ code: LintCode, _ file: String, key: String? = nil, line: Int? = nil, _ message: String, remedy: String) {
        severity = code.severity
        self.code = code.rawValue
        self.file = file
        self.key = key
        self.line = line
        self.message = message
        self.remedy = remedy
    }

    /// Returns the same finding at another place.
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

    /// Converts a finding of lint.
    ///
    /// - Parameters:
    ///   - isLenient: whether an error that Xcode does not find is a warning.
    ///   - place: returns the source of a path in the bundle.
    init(_ finding: LintFinding, isLenient: Bool, from place: (String) -> String) {
        severity = isLenient && finding.code.isAcceptedByXcode ? .warning : finding.severity
        code = finding.code.rawValue
        file = place(finding.file)
        key = finding.key
        line = finding.line
        message = place(finding.message)
        remedy = place(finding.remedy)
    }
}

/// The reasons why there is no bundle: all that are known, not only the first.
public struct ProjectError: Error, Sendable {
    public let findings: [ProjectFinding]

    init(_ findings: [ProjectFinding]) { self.findings = findings }
    init(_ finding: ProjectFinding) { findings = [finding] }
}
