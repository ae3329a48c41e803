// XcodeProject: a project file that was read: its targets with their files and settings.

import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding

struct XcodeProject {
    /// The absolute path, which ends in `.xcodeproj`.
    let path: String
    /// The name without its extension.
    let name: String
    let objects: ProjectObjects
    let paths: ProjectPaths
    private(set) var targets: [XcodeTarget] = []

    /// Reads a project, each target in one configuration.
    ///
    /// - Parameter configuration: the configuration's name. A target without one of this name uses its default.
    init(_ path: String, configuration: String) throws(ProjectError) {
        self.path = path
        let url = URL(fileURLWithPath: path)
        name = url.deletingPathExtension().lastPathComponent
        objects = try ProjectObjects(file: path + "/project.pbxproj")
        paths = ProjectPaths(objects, folder: url.deletingLastPathComponent().path)
        let all = objects.all(objects.root.texts("targets"))
        let byProduct = Dictionary(
            all.compactMap { target in target.text("productReference").map { ($0, target.identifier) } },
            uniquingKeysWith: { $1 }
        )
        let shared = try SettingLayer(
            objects[objects.root.text("buildConfigurationList")], named: configuration, in: objects, paths)
        for object in all where object.isa == "PBXNativeTarget" {
            var target = XcodeTarget(
                identifier: object.identifier, name: object.text("name") ?? object.identifier,
                kind: XcodeTarget.Kind(productType: object.text("productType") ?? ""),
                productType: object.text("productType") ?? "")
            addFiles(of: object, to: &target, byProduct)
            try addSettings(of: object, to: &target, shared, configuration)
            targets.append(target)
        }
    }

    /// Returns the project of a folder: the only `.xcodeproj` in it, or the one with the folder's name.
    ///
    /// Nil if the folder is a package, or has no project.
    static func find(in folder: String) -> String? {
        if folder.hasSuffix(".xcodeproj") { return folder }
        guard access(folder + "/Package.swift", F_OK) != 0 else { return nil }
        let names = BundlePart.files(in: folder, ending: ".xcodeproj")
        let own = folder.split(separator: "/").last.map { "\($0).xcodeproj" }
        let chosen = names.count == 1 ? names[0] : names.first { $0 == own }
        return chosen.map { "\(folder)/\($0)" }
    }

    /// The folder that contains the project.
    var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().standardizedFileURL.path }

    func target(_ identifier: String) -> XcodeTarget? { targets.first { $0.identifier == identifier } }

    /// Returns the project's frameworks and libraries that a target links, and those that these link, once each.
    func frameworks(of target: XcodeTarget) -> [XcodeTarget] {
        var found: [XcodeTarget] = []
        var seen: Set<String> = []
        var queue = target.dependencies.filter { seen.insert($0).inserted }
        while !queue.isEmpty {
            let identifier = queue.removeFirst()
            guard let next = self.target(identifier), next.kind == .framework else { continue }
            found.append(next)
            queue += next.dependencies.filter { seen.insert($0).inserted }
        }
        return found
    }

    // MARK: Files

    private func addFiles(of object: ProjectObject, to target: inout XcodeTarget, _ byProduct: [String: String]) {
        for phase in objects.all(object.texts("buildPhases")) {
            for file in objects.all(phase.texts("files")) {
                if let product = objects[file.text("productRef")]?.text("productName") {
                    target.packageProducts.append(product)
                }
                guard let reference = objects[file.text("fileRef")] else { continue }
                switch phase.isa {
                case "PBXSourcesBuildPhase":
                    target.sources += self.files(of: reference)
                    // “No Generated Classes”: another target has them.
                    guard file.keys["settings"]?.dictionary?["ATTRIBUTES"]?.array?.contains("no_codegen") != true
                    else { continue }
                    target.definitions += Self.definition(self.files(of: reference))
                case "PBXHeadersBuildPhase": target.headers += self.files(of: reference)
                case "PBXResourcesBuildPhase": target.resources += self.files(of: reference)
                case "PBXFrameworksBuildPhase":
                    if let made = product(reference, byProduct) { target.dependencies.append(made) }
                case "PBXCopyFilesBuildPhase":
                    if let made = product(reference, byProduct) {
                        target.embedded.append(made)
                    } else if phase.text("dstSubfolderSpec") == "7" {
                        // The phase copies into a folder of the resources.
                        let below =
                            phase.text("dstPath").flatMap { $0.isEmpty || $0.contains("$") ? nil : $0 + "/" } ?? ""
                        target.resources += self.files(of: reference).map {
                            XcodeFile(path: $0.path, name: below + $0.name)
                        }
                    }
                default: break
                }
            }
        }
        target.packageProducts += objects.all(object.texts("packageProductDependencies")).compactMap {
            $0.text("productName")
        }
        target.packageProducts = Set(target.packageProducts).sorted()
        target.dependencies += objects.all(object.texts("dependencies")).compactMap { dependency in
            dependency.text("target") ?? objects[dependency.text("targetProxy")]?.text("remoteGlobalIDString")
        }
        addSynchronized(of: object, to: &target)
        // A storyboard may be among the sources. Models and definitions of intents stay there, for their classes.
        target.resources += target.sources.filter { FileKind($0.path) == .resource }
        target.sources.removeAll { FileKind($0.path) == .resource || FileKind($0.path) == .ignored }
        var seen: Set<XcodeFile> = []
        target.definitions.removeAll { !seen.insert($0).inserted }
        seen = []
        target.sources.removeAll { !seen.insert($0).inserted }
        seen = []
        target.resources.removeAll { !seen.insert($0).inserted }
    }

    /// Returns the definition of intents among the files of a reference: of several languages, that of the base.
    private static func definition(_ files: [XcodeFile]) -> [XcodeFile] {
        let found = files.filter { $0.path.hasSuffix(TargetIntents.ending) }
        return (found.first { $0.name.hasPrefix("Base.lproj/") } ?? found.first).map { [$0] } ?? []
    }

    /// Returns the target that makes a product of this project.
    private func product(_ reference: ProjectObject, _ byProduct: [String: String]) -> String? {
        byProduct[reference.identifier]
    }

    /// Returns the file of a reference; for a group of variants, each file in the folder of its language.
    private func files(of reference: ProjectObject) -> [XcodeFile] {
        switch reference.isa {
        case "PBXVariantGroup":
            return objects.all(reference.texts("children")).compactMap { child in
                paths.path(of: child).map { XcodeFile(path: $0, name: Self.name(inBundle: $0)) }
            }
        default:
            guard let path = paths.path(of: reference) else { return [] }
            return [XcodeFile(path: path, name: Self.name(inBundle: path))]
        }
    }

    /// Returns the file's name; in the folder of a language, with that folder.
    private static func name(inBundle path: String) -> String {
        let parts = path.split(separator: "/").map(String.init)
        guard let name = parts.last else { return path }
        guard parts.count > 1, parts[parts.count - 2].hasSuffix(".lproj") else { return name }
        return "\(parts[parts.count - 2])/\(name)"
    }

    /// Adds the files of folders that belong to targets as they are on disk (Xcode 16).
    ///
    /// A target has all files of its own folders, except those that an exception for it lists. Of another target's
    /// folder, it has the files that such a list names.
    private func addSynchronized(of object: ProjectObject, to target: inout XcodeTarget) {
        let own = Set(object.texts("fileSystemSynchronizedGroups"))
        for group in objects.all(isa: "PBXFileSystemSynchronizedRootGroup") {
            let sets = objects.all(group.texts("exceptions")).filter {
                $0.isa == "PBXFileSystemSynchronizedBuildFileExceptionSet" && $0.text("target") == object.identifier
            }
            guard own.contains(group.identifier) || !sets.isEmpty, let folder = paths.path(of: group) else { continue }
            let exceptions = sets.flatMap { $0.texts("membershipExceptions") }
            func isException(_ path: String) -> Bool { exceptions.contains { path == $0 || path.hasPrefix($0 + "/") } }
            let isOwner = own.contains(group.identifier)
            let whole = Set(group.texts("explicitFolders"))
            var definitions: [XcodeFile] = []
            defer {
                for (_, same) in Dictionary(grouping: definitions, by: { $0.path.split(separator: "/").last }) {
                    target.definitions += Self.definition(same)
                }
                target.definitions.sort { $0.path < $1.path }
            }
            for path in ProjectPaths.files(below: folder) where isException(path) != isOwner {
                let file = "\(folder)/\(path)"
                // These folders are copied unchanged.
                if let top = whole.first(where: { path.hasPrefix($0 + "/") }) {
                    let last = top.split(separator: "/").last.map(String.init) ?? top
                    target.resources.append(XcodeFile(path: file, name: last + path.dropFirst(top.count)))
                    continue
                }
                let entry = XcodeFile(path: file, name: Self.name(inBundle: file))
                switch FileKind(path) {
                case .swift, .foreign, .model:
                    target.sources.append(entry)
                    if path.hasSuffix(TargetIntents.ending) { definitions.append(entry) }
                case .resource: if !path.hasSuffix("Info.plist") { target.resources.append(entry) }
                case .ignored: if path.hasSuffix(".h") { target.headers.append(entry) }
                }
            }
        }
    }

    // MARK: Settings

    private func addSettings(
        of object: ProjectObject, to target: inout XcodeTarget, _ shared: SettingLayer, _ configuration: String
    ) throws(ProjectError) {
        let own = try SettingLayer(
            objects[object.text("buildConfigurationList")], named: configuration, in: objects, paths)
        let product = objects[object.text("productReference")]?.text("path").map {
            URL(fileURLWithPath: $0).deletingPathExtension()
        }
        let root = paths.sourceRoot
        var layers = SettingLayers(
            [
                "SRCROOT": root, "SOURCE_ROOT": root, "PROJECT_DIR": root, "PROJECT": name, "PROJECT_NAME": name,
                "PROJECT_FILE_PATH": path, "TARGET_NAME": target.name, "TARGETNAME": target.name,
                "CONFIGURATION": configuration,
                "PRODUCT_NAME": product?.lastPathComponent ?? target.name,
                "DEVELOPMENT_LANGUAGE": objects.root.text("developmentRegion") ?? "en",
                "PRODUCT_BUNDLE_PACKAGE_TYPE": target.kind == .application
                    ? "APPL" : target.kind == .appExtension ? "XPC!" : "FMWK",
                "EXECUTABLE_NAME": "$(PRODUCT_NAME)", "AppIdentifierPrefix": "", "TeamIdentifierPrefix": "",
                "EXECUTABLE_PREFIX": "", "EXECUTABLE_SUFFIX": "",
                "PRODUCT_MODULE_NAME": "$(PRODUCT_NAME:c99extidentifier)", "MARKETING_VERSION": "1.0",
                "CURRENT_PROJECT_VERSION": "1",
                "PLATFORM_NAME": "iphoneos", "EFFECTIVE_PLATFORM_NAME": "-iphoneos", "SDK_NAME": "iphoneos",
                "WRAPPER_SUFFIX": target.kind == .application ? ".app" : ".appex", "CURRENT_ARCH": "arm64",
                "ARCHS": "arm64",
            ], conditions: SettingConditions(configuration: configuration))
        layers.add(shared)
        layers.add(own)
        // Signing sets both: the team's identifier and a point ("Configuring keychain sharing").
        if layers.values["DEVELOPMENT_TEAM"]?.isEmpty == false {
            for prefix in ["AppIdentifierPrefix", "TeamIdentifierPrefix"] where layers.values[prefix] == "" {
                layers.set(prefix, "$(DEVELOPMENT_TEAM).")
            }
        }
        target.settings = BuildSettings(layers.values)
        target.settingFiles = shared.files + own.files
        target.missingSettingFiles = shared.missing + own.missing
    }
}
