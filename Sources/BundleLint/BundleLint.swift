// BundleLint: the search for all faults of an app, of an extension, or of a folder of apps.

public import ExtensionPoints
import ExtensionRegistry
import Glibc
import LinuxSystem
import PropertyListCoding

/// The reason why a path cannot be linted, with the remedy.
public struct LintError: Error, Sendable, Hashable {
    /// The reason, without a full stop.
    public let message: String
    public let remedy: String
}

/// The checks of bundles that the registry and the kits make, and further ones. It is a value.
///
/// Each call reads files and blocks, so it never runs on the loop. Bundles are hostile: counts, depths and sizes are
/// bounded, no link is followed out of them, and nothing is run.
public struct BundleLint: Sendable {
    private let points: PointTable
    private let isRelease: Bool

    /// The maximum number of extensions of one folder that are checked.
    static let bundlesLimit = 10_000

    /// - Parameters:
    ///   - points: the points that count as known.
    ///   - isRelease: whether a fault that a store refuses is an error (`LintCode.isErrorInRelease`).
    public init(points: PointTable, isRelease: Bool = false) {
        self.points = points
        self.isRelease = isRelease
    }

    /// Returns the findings of an `.app` with all its extensions, of an `.appex`, or of a folder of these.
    ///
    /// They come bundle by bundle, each sorted by file and line.
    public func lint(_ path: String) throws(LintError) -> [LintFinding] {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw LintError(message: "there is no \(path)", remedy: "Name an .app, an .appex, or a folder of them")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw LintError(
                message: "\(path) is a file, not a bundle", remedy: "Name the folder .app or .appex around it")
        }
        var owners: [String: String] = [:]
        // The real path also identifies “.” and a link.
        let real = realPath(path) ?? path
        if real.hasSuffix(".appex") {
            var report = LintReport(isRelease: isRelease)
            var app: LintedApplication?
            if let around = BundleScan.application(around: real) {
                // The faults of the app itself are not wanted here.
                var unasked = LintReport(isRelease: isRelease)
                app = Self.application(around, &unasked)
            }
            check(extension: path, app, &owners, .identifierDuplicate, &report)
            return Self.sorted(report)
        }
        if real.hasSuffix(".app") { return check(application: path, &owners) }
        return try check(folder: path, &owners)
    }

    private func check(folder path: String, _ owners: inout [String: String]) throws(LintError) -> [LintFinding] {
        let names: [String]
        do {
            names = try listDirectory(path, maximumCount: Self.bundlesLimit)
        } catch {
            throw LintError(message: "\(path) cannot be read: \(error)", remedy: "Name a readable folder of apps")
        }
        let bundles = names.filter { $0.hasSuffix(".app") || $0.hasSuffix(".appex") }
        guard !bundles.isEmpty else {
            throw LintError(
                message: "\(path) contains no .app and no .appex", remedy: "Name a bundle, or a folder of bundles")
        }
        var findings: [LintFinding] = []
        for name in bundles {
            if name.hasSuffix(".app") {
                findings += check(application: "\(path)/\(name)", &owners)
            } else {
                var report = LintReport(isRelease: isRelease)
                check(extension: "\(path)/\(name)", nil, &owners, .identifierShared, &report)
                findings += Self.sorted(report)
            }
        }
        return findings
    }

    private func check(application path: String, _ owners: inout [String: String]) -> [LintFinding] {
        var report = LintReport(isRelease: isRelease)
        let app = Self.application(path, &report)
        FileLint.check(path, isApplication: true, &report)
        let plugIns = path + (BundleLayout(of: path).hasContents ? "/Contents/PlugIns" : "/PlugIns")
        let names = (try? listDirectory(plugIns, maximumCount: Self.bundlesLimit)) ?? []
        let extensions = names.filter { $0.hasSuffix(".appex") }
        if extensions.isEmpty {
            report.add(
                .noExtensions, path, "the app contains no extension", remedy: "Put each into \(plugIns)/NAME.appex")
        }
        var findings = Self.sorted(report)
        var own: [String: String] = [:]
        for name in extensions {
            var report = LintReport(isRelease: isRelease)
            check(extension: "\(plugIns)/\(name)", app, &own, .identifierDuplicate, &report)
            findings += Self.sorted(report)
        }
        var shared = LintReport(isRelease: isRelease)
        for (identifier, bundle) in own.sorted(by: { $0.key < $1.key }) {
            Self.claim(identifier, bundle, &owners, .identifierShared, &shared)
        }
        return findings + shared.findings
    }

    private func check(
        extension path: String, _ app: LintedApplication?, _ owners: inout [String: String], _ sharing: LintCode,
        _ report: inout LintReport
    ) {
        FileLint.check(path, isApplication: false, &report)
        if let app { EntitlementsLint.check(extension: path, in: app.path, &report) }
        let layout = BundleLayout(of: path)
        guard let information = InformationFile(layout.information, &report) else { return }
        if let identifier = IdentityLint(information: information).check(app, &report) {
            EntitlementsLint.check(groupsOf: path, identifier: identifier, &report)
            Self.claim(
                identifier, path, at: (information.path, information.line("CFBundleIdentifier")), &owners, sharing,
                &report)
        }
        let program = ProgramLint(bundle: path, layout: layout, information: information).check(&report)
        let restrictions = RestrictionLint(information: information)
        restrictions.check(&report)
        if let program {
            LinkLint(bundle: path, app: app?.path, uses: restrictions.uses).check(program: program, &report)
            if let app { FrameworkLint(app: app.path).check(program: program, &report) }
        }
        let declarations = DeclarationLint(information: information, points: points, needsClass: program != nil)
        if let (declaration, point) = declarations.check(&report) {
            if let program {
                let folders = [app?.path, path].compactMap { $0 }.flatMap {
                    ["\($0)/Frameworks", "\($0)/Contents/Frameworks"]
                }
                let hasLibraries = neededLibraries(of: program).contains { name in
                    folders.contains { access("\($0)/\(name)", F_OK) == 0 }
                }
                ClassLint(information: information, hasEmbeddedLibraries: hasLibraries)
                    .check(declaration.principalClass, program: program, &report)
            }
            if point?.identifier == TextEntryLint.point {
                TextEntryLint(bundle: path).check(program: program, &report)
            }
            RuleLint(bundle: path, layout: layout, information: information).check(declaration, point, &report)
        }
        let types = TypeLint(information: information)
        types.check(&report)
        types.checkTimers(isRelease: isRelease, &report)
        types.checkLimits(isRelease: isRelease, &report)
    }

    /// Records the bundle of an identifier, and reports a second one with the same identifier.
    private static func claim(
        _ identifier: String, _ bundle: String, at place: (file: String, line: Int?)? = nil,
        _ owners: inout [String: String],
        _ code: LintCode,
        _ report: inout LintReport
    ) {
        guard let first = owners[identifier] else {
            owners[identifier] = bundle
            return
        }
        report.add(
            code, place?.file ?? bundle, key: "CFBundleIdentifier", line: place?.line,
            "\(identifier) is also the identifier of \(first)",
            remedy: "Rename one; of two copies of one extension, delete the older")
    }

    /// Reads an app's own `Info.plist`. If it has a fault, its extensions lose only the comparison with it.
    private static func application(_ path: String, _ report: inout LintReport) -> LintedApplication {
        var app = LintedApplication(path: path)
        let file = BundleLayout(of: path).information
        var reading = LintReport(isRelease: false)
        let information = InformationFile(file, &reading)
        for finding in reading.findings {
            guard finding.severity == .error else {
                report.add(
                    finding.code, file, key: finding.key, line: finding.line, finding.message, remedy: finding.remedy)
                continue
            }
            report.add(
                .appInformation, file, line: finding.line, "the app's Info.plist: \(finding.message)",
                remedy: finding.remedy)
        }
        guard let information else { return app }
        app.version = information.text("CFBundleVersion", &report).value
        app.shortVersion = information.text("CFBundleShortVersionString", &report).value
        if let identifier = information.text("CFBundleIdentifier", &report).value,
            BundleInformation.isIdentifier(identifier)
        {
            app.identifier = identifier
            EntitlementsLint.check(groupsOf: path, identifier: identifier, &report)
        } else {
            report.add(
                .appInformation, file, key: "CFBundleIdentifier", line: information.line("CFBundleIdentifier"),
                "the app has no identifier, with which its extensions' identifiers must begin",
                remedy: "Add one, such as org.example.app")
        }
        TypeLint(information: information).check(&report)
        FrameworkLint(app: path).check(information, &report)
        return app
    }

    private static func sorted(_ report: LintReport) -> [LintFinding] {
        report.findings.enumerated().sorted {
            ($0.element.file, $0.element.line ?? 0, $0.offset) < ($1.element.file, $1.element.line ?? 0, $1.offset)
        }.map(\.element)
    }
}
