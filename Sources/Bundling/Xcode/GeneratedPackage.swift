// GeneratedPackage: a SwiftPM package that represents a project: links to the author's sources, and a manifest.

import BundleLint
import ExtensionPoints
import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding

/// The package, which is planned and then written beside the build. The author's files are linked and never changed.
struct GeneratedPackage {
    /// A target of the manifest.
    struct Module {
        let name: String
        let isProgram: Bool
        let target: XcodeTarget
        let outline: ModuleOutline
        /// The modules of the package itself that it depends on.
        var dependencies: [String]
        /// The products of the kit that it depends on.
        var products: [KitModules.Product]
        /// The classes of its definitions of intents.
        let intents: TargetIntents
        /// The classes of its models.
        let models: TargetModels
        /// The imports of its header.
        let bridged: BridgedImports

        /// The files that are generated for it, with their texts.
        var generated: [String: String] {
            [
                TargetIntents.fileName: intents.text, TargetModels.fileName: models.text,
                BridgedImports.fileName: bridged.text,
            ].compactMapValues { $0 }
        }
    }

    /// A cache of the outlines that were read: many extensions share a framework.
    private final class Outlines {
        var known: [String: ModuleOutline] = [:]
    }

    let project: XcodeProject
    private let outlines = Outlines()
    private(set) var kit: KitModules
    /// The folder of the package.
    let folder: String
    private(set) var modules: [Module] = []
    private(set) var origins: [PartOrigin] = []
    /// The warnings about omitted parts, with the reasons.
    private(set) var findings: [ProjectFinding] = []
    /// The modules that were written as stubs for this package.
    private(set) var stubs: [String] = []

    /// The request for the parts of a project.
    struct Wish {
        /// The names of the requested extensions; empty for all that can be built.
        var only: Set<String> = []
        /// The settings of the command line.
        var given = BuildSettings()
        /// Whether the app's own sources are built.
        var includesApp = false
        /// Whether missing modules are written as stubs.
        var writesStubs = false
    }

    /// Returns the folder, beside the project, in which an author has stubs of modules.
    static func stubsFolder(_ project: XcodeProject) -> String { "\(project.folder)/\(StubModules.packageName)" }

    /// Plans the package. It reads files, and writes none except requested stubs.
    ///
    /// - Throws: `ProjectError` with the faults that keep every extension, or a named one, from being built.
    init(_ project: XcodeProject, kit: KitModules, folder: String, wish: Wish) throws(ProjectError) {
        self.project = project
        self.kit = kit.adding(stubs: Self.stubsFolder(project))
        self.folder = folder
        let extensions = project.targets.filter { $0.kind == .appExtension }
        var faults: [ProjectFinding] = []
        let packs = project.targets.filter(\.isStickerPack).map(\.name)
        for name in packs where wish.only.isEmpty || wish.only.contains(name) {
            let isFault = extensions.isEmpty || wish.only.contains(name)
            let finding = ProjectFinding(
                isFault ? .noExtensionTarget : .targetLeftOut, project.path,
                "\(name) is a sticker pack, which has no program",
                remedy: "Bundle an iMessage app: a target with a subclass of MSMessagesAppViewController")
            if isFault { faults.append(finding) } else { findings.append(finding) }
        }
        for name in wish.only.subtracting(extensions.map(\.name)).subtracting(packs).sorted() {
            faults.append(
                ProjectFinding(
                    .noExtensionTarget, project.path, "it has no extension \(name)",
                    remedy: "There are: \(extensions.map(\.name).sorted().joined(separator: ", "))"))
        }
        guard !extensions.isEmpty || !faults.isEmpty else {
            throw ProjectError(
                ProjectFinding(
                    .noExtensionTarget, project.path, "it has no target of an app extension",
                    remedy: "Add one in Xcode, or name another project"))
        }
        guard faults.isEmpty else { throw ProjectError(faults) }
        var used: Set<String> = []
        for target in extensions where wish.only.isEmpty || wish.only.contains(target.name) {
            do throws(ProjectError) {
                guard
                    wish.only.contains(target.name) || target.isForDevice || !extensions.contains(where: \.isForDevice)
                else {
                    throw ProjectError(
                        ProjectFinding(
                            .targetLeftOut, project.path, "\(target.name) is for another platform than iOS",
                            remedy: "To bundle it, name it with --only"))
                }
                try add(target, wish, &used)
            } catch {
                faults += error.findings
            }
        }
        guard !origins.isEmpty, wish.only.isEmpty || faults.isEmpty else {
            throw ProjectError(faults.map { $0.severity == .error ? $0 : $0.asError })
        }
        findings += faults.map { fault in
            guard fault.severity == .error else { return fault }
            return ProjectFinding(
                .targetLeftOut, fault.file, key: fault.key, line: fault.line, "left out: \(fault.message)",
                remedy: fault.remedy)
        }
        try addApps(wish, used)
        linkTransfers()
    }

    /// Links all modules with background sessions if one has such a session: its delegate may be of another.
    private mutating func linkTransfers() {
        guard modules.contains(where: \.outline.usesBackground), let product = kit.products[KitModules.transfers] else {
            return
        }
        for index in modules.indices where !modules[index].products.contains(product) {
            modules[index].products.insert(product, at: 0)
        }
    }

    // MARK: Planning

    /// The modules that import Core Image and ImageIO on Apple's systems.
    private static let implying: Set<String> = ["UIKit", "AVFoundation", "ReplayKit"]

    private mutating func add(_ target: XcodeTarget, _ wish: Wish, _ used: inout Set<String>) throws(ProjectError) {
        let origin = try self.origin(of: target, wish.given, app: app(of: target))
        if wish.writesStubs { try writeStubs(for: target) }
        var planned = try plan(target, isProgram: true)
        // The framework of the extension point, also where no source imports it.
        let point = origin.information.dictionary["NSExtension"]?.dictionary?["NSExtensionPointIdentifier"]?.string
        if let framework = point.flatMap({ PointTable()[$0].framework }), let product = kit.products[framework],
            !planned[0].products.contains(product)
        {
            planned[0].products.append(product)
        }
        // Targets of one module name are one target: frameworks are shared, but two extensions cannot be built at once.
        guard used.insert(target.moduleName).inserted else {
            throw ProjectError(
                ProjectFinding(
                    .targetLeftOut, project.path,
                    "\(target.name) has the module name \(target.moduleName) of another target",
                    remedy: "Bundle one of them at a time, with --only"))
        }
        if origin.information.namesClassAndStoryboard {
            findings.append(
                ProjectFinding(
                    .storyboardUnused, origin.information.path, key: "NSExtension.NSExtensionMainStoryboard",
                    "\(target.name) names a class and a storyboard, and the class takes precedence",
                    remedy: "Remove one of the two"))
        }
        for module in planned { add(module) }
        let classes = planned.reversed().reduce(into: [:]) { $0.merge($1.outline.classes) { $1 } }
        origins.append(
            PartOrigin(
                folder: origin.folder, name: origin.name, bundleName: origin.bundleName,
                information: origin.information,
                additions: origin.additions, settings: origin.settings, entitlements: origin.entitlements,
                resources: origin.resources + planned.dropFirst().flatMap(\.target.resources), classes: classes,
                intents: Self.intents(of: planned)))
    }

    /// Returns the classes of intents that an extension uses from other modules.
    private static func intents(of planned: [Module]) -> [String: String] {
        var found: [String: String] = [:]
        for module in planned.dropFirst() {
            for intent in module.intents.definition.intents {
                found[intent.className] = "\(module.name).\(intent.className)"
            }
        }
        for intent in planned.first?.intents.definition.intents ?? [] { found[intent.className] = nil }
        return found
    }

    private mutating func add(_ module: Module) {
        guard !modules.contains(where: { $0.name == module.name }) else { return }
        modules.append(module)
        findings += module.intents.findings + module.models.findings
    }

    /// Returns a target and the project's frameworks that it uses.
    ///
    /// A framework that cannot be built, because it is not Swift or imports a missing module, counts as missing; a stub
    /// may replace it.
    private func parts(of target: XcodeTarget) -> [XcodeTarget] {
        // If two have the same name, for example for two systems, the first counts.
        var seen: Set<String> = []
        var frameworks = project.frameworks(of: target).sorted { $0.isForDevice && !$1.isForDevice }
            .filter {
                $0.foreignSources.isEmpty && !($0.swiftSources.isEmpty && $0.definitions.isEmpty)
                    && seen.insert($0.moduleName).inserted
            }
        while true {
            let names = Set(frameworks.map(\.moduleName))
            let whole = frameworks.filter { part in
                let outline = outline(of: part, names)
                return outline.missing.isEmpty
                    && outline.imports.allSatisfy { kit.has($0) || names.contains($0) || $0 == part.moduleName }
            }
            guard whole.count < frameworks.count else { break }
            frameworks = whole
        }
        // Only the imported frameworks are used.
        let names = Set(frameworks.map(\.moduleName))
        var wanted: Set<String> = []
        var queue = [target]
        while let part = queue.popLast() {
            for name in outline(of: part, names).imports where names.contains(name) && wanted.insert(name).inserted {
                queue += frameworks.filter { $0.moduleName == name }
            }
        }
        return [target] + frameworks.filter { wanted.contains($0.moduleName) && $0.moduleName != target.moduleName }
    }

    private func outline(of part: XcodeTarget, _ names: Set<String>) -> ModuleOutline {
        let key = ([part.identifier, "\(kit.products.count)"] + names.sorted()).joined(separator: " ")
        if let known = outlines.known[key] { return known }
        let made = ModuleOutline(part, hasModule: { kit.has($0) || names.contains($0) })
        outlines.known[key] = made
        return made
    }

    /// Returns the project's frameworks that have no module here.
    private func frameworks(without names: Set<String>) -> [XcodeTarget] {
        project.targets.filter { $0.kind == .framework && !names.contains($0.moduleName) }
    }

    private mutating func writeStubs(for target: XcodeTarget) throws(ProjectError) {
        let parts = parts(of: target)
        let names = Set(parts.map(\.moduleName))
        // A header may import a framework of the project that cannot be built.
        let unbuilt = frameworks(without: names)
        let own = Set(unbuilt.map(\.moduleName))
        let missing = parts.reduce(into: Set<String>()) {
            let headers = BridgedImports.imports(of: $1, unbuilt, root: project.paths.sourceRoot)
            $0.formUnion(outline(of: $1, names).imports.union(headers.intersection(own)))
        }.filter { !kit.has($0) && !names.contains($0) }
        guard !missing.isEmpty else { return }
        let place = Self.stubsFolder(project)
        do {
            try StubModules.write(for: missing.map { StubModules.Module(name: $0) }, into: place)
        } catch {
            throw error as? ProjectError
                ?? ProjectError(ProjectFinding(.notWritten, place, "\(error)", remedy: "Make the folder writable"))
        }
        stubs += missing.sorted()
        kit = kit.adding(stubs: place)
    }

    /// Returns the module of a target first, then those of the frameworks that it uses.
    private func plan(_ target: XcodeTarget, isProgram: Bool) throws(ProjectError) -> [Module] {
        let own = parts(of: target)
        let names = Set(own.map(\.moduleName))
        var faults: [ProjectFinding] = []
        let foreign = target.foreignSources.map(\.name).sorted()
        if !foreign.isEmpty {
            faults.append(
                ProjectFinding(
                    .foreignSource, project.path,
                    "\(target.name) has sources in other languages than Swift: \(Self.list(foreign))",
                    remedy: "Write them in Swift: there is no Objective-C on Linux"))
        }
        if target.swiftSources.isEmpty, foreign.isEmpty {
            faults.append(
                ProjectFinding(
                    .fileMissing, project.path, "\(target.name) has no sources",
                    remedy: "Add them to the target in Xcode"))
        }
        var modules: [Module] = []
        var missing: Set<String> = []
        for part in own {
            let outline = outline(of: part, names)
            faults += outline.missing.map {
                ProjectFinding(
                    .fileMissing, project.path, "\(part.name) has a source that does not exist: \($0)",
                    remedy: "First run the build step that writes it, or remove it from the target")
            }
            let (intents, models) = (TargetIntents(part), TargetModels(part))
            let bridged = BridgedImports(
                part, frameworks(without: names), root: project.paths.sourceRoot,
                implied: outline.imports.isDisjoint(with: Self.implying) ? [] : outline.implied
            ) { kit.has($0) || names.contains($0) }
            let imports = outline.imports.union(intents.imports).union(models.imports).union(bridged.modules)
                .subtracting([part.moduleName])
            missing.formUnion(imports.filter { !kit.has($0) && !names.contains($0) })
            modules.append(
                Module(
                    name: part.moduleName, isProgram: isProgram && part.identifier == target.identifier, target: part,
                    outline: outline,
                    dependencies: imports.intersection(names).sorted(),
                    products: Set(imports.union(["ExtensionFoundation"]).compactMap { kit.products[$0] })
                        .sorted { $0.name < $1.name },
                    intents: intents, models: models, bridged: bridged))
        }
        if !missing.isEmpty {
            let own = missing.intersection(project.targets.filter { $0.kind == .framework }.map(\.moduleName)).sorted()
            let packages = missing.intersection(target.packageProducts).subtracting(own).sorted()
            let others = missing.subtracting(packages).subtracting(own).sorted()
            let words = [
                own.isEmpty ? nil : "of the project, which cannot be built: \(Self.list(own))",
                packages.isEmpty ? nil : "of packages, which are not fetched: \(Self.list(packages))",
                others.isEmpty ? nil : "of Apple's systems or of others: \(Self.list(others))",
            ].compactMap { $0 }
            faults.append(
                ProjectFinding(
                    .modulesMissing, project.path,
                    "\(target.name) imports missing modules, \(words.joined(separator: "; "))",
                    remedy:
                        "Exclude them with #if canImport(NAME), or write empty modules of these names with --stub"
                ))
        }
        guard faults.isEmpty else { throw ProjectError(faults) }
        return modules
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(12).joined(separator: ", ") + (names.count > 12 ? " and \(names.count - 12) more" : "")
    }

    /// Returns the app of an extension: the one that embeds it, else the one that is built after it, else the first.
    private func app(of target: XcodeTarget) -> XcodeTarget? {
        let apps = project.targets.filter { $0.kind == .application }
        return apps.first { $0.embedded.contains(target.identifier) } ?? apps.first {
            $0.dependencies.contains(target.identifier)
        }
            ?? apps.first
    }

    private mutating func addApps(_ wish: Wish, _ used: Set<String>) throws(ProjectError) {
        let wanted = Set(origins.map(\.name))
        var apps: [XcodeTarget] = []
        for target in project.targets where target.kind == .appExtension && wanted.contains(target.name) {
            guard let app = app(of: target) else {
                throw ProjectError(
                    ProjectFinding(
                        .noAppTarget, project.path, "it has no target of an app for \(target.name)",
                        remedy: "Add an app for the extensions in Xcode"))
            }
            if !apps.contains(where: { $0.identifier == app.identifier }) { apps.append(app) }
        }
        for app in apps {
            let includesApp = wish.includesApp && !app.isMessagesContainer
            if includesApp {
                for module in try plan(app, isProgram: true) { add(module) }
            }
            origins.insert(
                try origin(
                    of: app, wish.given, app: nil, folder: includesApp ? nil : "\(folder)/Apps/\(app.moduleName)"),
                at: 0)
        }
    }

    // MARK: One bundle

    private mutating func origin(
        of target: XcodeTarget, _ given: BuildSettings, app: XcodeTarget?, folder place: String? = nil
    ) throws(ProjectError) -> PartOrigin {
        var settings = target.settings.merging(given)
        let root = project.paths.sourceRoot
        func file(_ setting: String) -> String? {
            guard let text = settings[setting] else { return nil }
            let path = settings.expanded(text)
            guard !path.isEmpty else { return nil }
            return ProjectPaths.actual(ProjectPaths.standardized(path.hasPrefix("/") ? path : "\(root)/\(path)"))
        }
        let generates = target.isOn("GENERATE_INFOPLIST_FILE")
        let information: InformationDraft
        // An app's file may have only generated keys, and be missing from a published project.
        let isNeeded = target.kind != .application || !generates
        if let path = file("INFOPLIST_FILE"), isNeeded || access(path, F_OK) == 0 {
            let definitions = settings.expanded(settings["INFOPLIST_PREPROCESSOR_DEFINITIONS"] ?? "")
            information = try InformationDraft(
                path,
                conditions: target.isOn("INFOPLIST_PREPROCESS")
                    ? InformationConditions(definitions: definitions) : nil)
        } else if generates {
            information = InformationDraft(generatedFor: project.path)
        } else {
            throw ProjectError(
                ProjectFinding(
                    .informationMissing, project.path, key: "INFOPLIST_FILE", "\(target.name) names no Info.plist",
                    remedy: "Set INFOPLIST_FILE in Xcode"))
        }
        // An identifier that is given for all targets is the app's.
        if app != nil, given["PRODUCT_BUNDLE_IDENTIFIER"] != nil { settings["PRODUCT_BUNDLE_IDENTIFIER"] = nil }
        settings["PRODUCT_BUNDLE_IDENTIFIER"] =
            settings["PRODUCT_BUNDLE_IDENTIFIER"]
            ?? app.flatMap { $0.settings.merging(given)["PRODUCT_BUNDLE_IDENTIFIER"] }.map {
                "\($0).$(TARGET_NAME:rfc1034identifier)"
            }
        settings["EXECUTABLE_NAME"] = settings.expanded(settings["EXECUTABLE_NAME"] ?? "$(PRODUCT_NAME)")
        let additions = InformationDraft.additions(settings, generates: generates, for: target.kind)
            .filter { information.dictionary[$0.key] == nil }
        let entitlements = file("CODE_SIGN_ENTITLEMENTS").flatMap { access($0, F_OK) == 0 ? $0 : nil }
        // Only the project's settings are known; unknown ones become empty, as in Xcode.
        let held = entitlements.flatMap { try? readFile($0, maximumSize: 1 << 20) }
        let texts =
            [information.text, String(decoding: held ?? [], as: UTF8.self)] + additions.map { $0.value.string ?? "" }
        let shown = Set(settings.unknown(in: texts))
        let identifier = settings["PRODUCT_BUNDLE_IDENTIFIER"] ?? ""
        var bare = settings
        for name in settings.unknown(in: [identifier]) { bare[name] = "" }
        let rest = bare.expanded(identifier)
        // An unknown setting elsewhere is a suffix, such as that of a configuration.
        let prefix = rest.contains(".") && !rest.hasPrefix(".") ? [] : Set(settings.unknown(in: [identifier]))
        let versions = Set(
            settings.unknown(
                in: ["CFBundleVersion", "CFBundleShortVersionString"].compactMap { information.dictionary[$0]?.string })
        )
        func value(_ name: String) -> String {
            prefix.contains(name) ? "org.example" : versions.contains(name) ? "1" : ""
        }
        for name in settings.unknown(in: texts + Array(settings.values.values))
        where name != BundlePart.identifierSetting {
            settings[name] = value(name)
            guard shown.contains(name) else { continue }
            findings.append(
                ProjectFinding(
                    .settingUnknown, information.path,
                    "the setting \(name) of \(target.name) is unknown; its value is "
                        + (value(name).isEmpty ? "empty" : value(name)),
                    remedy: "Write it into an .xcconfig, or give --setting \(name)=VALUE"))
        }
        let product = settings.expanded("$(PRODUCT_NAME)")
        let isName = !product.isEmpty && !product.contains("/") && !product.hasPrefix(".")
        return PartOrigin(
            folder: place ?? "\(folder)/Sources/\(target.moduleName)", name: target.name,
            bundleName: target.kind == .application && isName
                ? product : target.name.replacingOccurrences(of: "/", with: "-"),
            information: information, additions: additions, settings: settings, entitlements: entitlements,
            resources: target.resources, classes: [:])
    }
}

/// The modules and classes that the sources of a target mention.
struct ModuleOutline {
    private(set) var imports: Set<String> = []
    /// The classes as `Module.Class`, by their Objective-C names or their own.
    private(set) var classes: [String: String] = [:]
    private(set) var hasMain = false
    /// Whether a source makes a configuration of a background session.
    private(set) var usesBackground = false
    /// The modules that UIKit and others bring along on Apple's systems, as far as sources mention their names.
    private(set) var implied: Set<String> = []
    /// The sources that cannot be read.
    private(set) var missing: [String] = []

    private static let sizeLimit = 4 << 20

    init(_ target: XcodeTarget, hasModule: @escaping (String) -> Bool) {
        self.init(
            target.swiftSources.map(\.path), module: target.moduleName, flags: target.conditions, hasModule: hasModule)
    }

    /// Reads the files.
    init(_ sources: [String], module: String, flags: [String], hasModule: @escaping (String) -> Bool) {
        var conditions = CompilationConditions(flags: Set(flags), hasModule: hasModule)
        for source in sources where source.hasSuffix(".swift") {
            guard let bytes = try? readFile(source, maximumSize: Self.sizeLimit) else {
                missing.append(source)
                continue
            }
            let text = String(decoding: bytes, as: UTF8.self)
            conditions.isForDevice = !text.contains("os(Linux)")
            let outline = SourceOutline(SourceWords.read(text), holds: conditions.hold)
            imports.formUnion(outline.imports)
            usesBackground = usesBackground || outline.usesBackground
            implied.formUnion(outline.implied)
            hasMain = hasMain || outline.hasMain || source.hasSuffix("/main.swift")
            for found in outline.classes { classes[found.objectiveCName ?? found.name] = "\(module).\(found.name)" }
        }
    }
}

extension XcodeTarget {
    /// The flags that `#if` tests: the setting, and `-D` in other flags.
    var conditions: [String] {
        var found = (value("SWIFT_ACTIVE_COMPILATION_CONDITIONS") ?? "").split(separator: " ").map(String.init)
        var words = (value("OTHER_SWIFT_FLAGS") ?? "").split(separator: " ")[...]
        while let word = words.popFirst() {
            if word == "-D", let name = words.popFirst() {
                found.append(String(name))
            } else if word.hasPrefix("-D") {
                found.append(String(word.dropFirst(2)))
            }
        }
        return Set(found).filter { BuildSettings.isName($0) }.sorted()
    }
}

extension ProjectFinding {
    /// The finding as an error. A warning becomes one if every extension, or a named one, cannot be built.
    fileprivate var asError: ProjectFinding {
        ProjectFinding(.noExtensionTarget, file, key: key, line: line, message, remedy: remedy)
    }
}
