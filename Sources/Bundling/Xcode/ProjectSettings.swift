// ProjectSettings: the build settings of a target in one configuration, as layers of files and dictionaries.

import Foundation
import PropertyListCoding

/// A configuration of a project or a target: its `.xcconfig`, overridden by its own dictionary.
struct SettingLayer {
    let assignments: [SettingAssignment]
    /// The `.xcconfig` files that were read for it.
    let files: [String]
    /// The named files that do not exist. Xcode builds without them, and pods leave such names.
    let missing: [String]
}

/// A stack of layers, lowest first. `$(inherited)` and a setting's own name refer to the layers below.
struct SettingLayers {
    private(set) var values: [String: String]
    let conditions: SettingConditions

    /// The maximum size of a value. A value that inherits itself grows beyond it, and is dropped.
    private static let valueLimit = 1 << 16

    init(_ values: [String: String], conditions: SettingConditions) {
        self.values = values
        self.conditions = conditions
    }

    mutating func add(_ layer: SettingLayer) {
        // In one layer, later lines override earlier ones, and lines with conditions override those without.
        let plain = layer.assignments.filter { $0.conditions.isEmpty }
        let conditional = layer.assignments.filter { !$0.conditions.isEmpty && conditions.hold($0.conditions) }
        for assignment in plain + conditional { set(assignment.name, assignment.value) }
    }

    mutating func set(_ name: String, _ value: String) {
        guard value.utf8.count <= Self.valueLimit else { return values[name] = nil }
        var result = withoutCycle(Self.bracketed(value), of: name)
        let inherited = (values[name] ?? "").utf8.count
        for own in ["$(inherited)", "${inherited}", "$(\(name))", "${\(name)}"] where result.contains(own) {
            let uses = result.components(separatedBy: own).count - 1
            guard result.utf8.count + uses * inherited <= Self.valueLimit else { return values[name] = nil }
            result = result.replacingOccurrences(of: own, with: values[name] ?? "")
        }
        values[name] = result.utf8.count <= Self.valueLimit ? result.trimmingCharacters(in: .whitespaces) : nil
    }
}

extension SettingLayers {
    /// The maximum depth of settings that refer to each other.
    private static let cycleLimit = 8

    /// Returns a value in which settings of the layers below that refer to the name itself have their own values.
    ///
    /// So the name in them is that of the layers below, as in Xcode: a target's `$(EXTENSION_ID)` may stand for
    /// `$(PRODUCT_BUNDLE_IDENTIFIER).extension` of the project.
    private func withoutCycle(_ value: String, of name: String) -> String {
        var result = value
        for _ in 0..<Self.cycleLimit {
            let used = values.filter {
                $0.key != name && result.contains("$(\($0.key))") && refers($0.value, to: name)
            }
            guard !used.isEmpty else { return result }
            for (other, text) in used {
                let uses = result.components(separatedBy: "$(\(other))").count - 1
                guard result.utf8.count + uses * text.utf8.count <= Self.valueLimit else { return value }
                result = result.replacingOccurrences(of: "$(\(other))", with: text)
            }
        }
        return result
    }

    /// Whether a value refers to a setting, by itself or by others. Each name is followed once.
    private func refers(_ value: String, to name: String) -> Bool {
        var followed: Set<String> = []
        var open = [value]
        while let value = open.popLast() {
            if value.contains("$(\(name))") { return true }
            for part in value.components(separatedBy: "$(").dropFirst() {
                let other = String(part.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
                if followed.insert(other).inserted, let next = values[other] { open.append(next) }
            }
        }
        return false
    }

    /// Returns a value with each `$NAME` written as `$(NAME)`.
    private static func bracketed(_ value: String) -> String {
        guard value.contains("$") else { return value }
        var result = ""
        var rest = value[...]
        while let sign = rest.firstIndex(of: "$") {
            let name = rest[rest.index(after: sign)...].prefix {
                $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_")
            }
            result += rest[..<sign] + (name.isEmpty ? "$" : "$(\(name))")
            rest = name.isEmpty ? rest[rest.index(after: sign)...] : rest[name.endIndex...]
        }
        return result + rest
    }
}

/// The values to which `[sdk=…]`, `[arch=…]` and `[config=…]` are compared.
struct SettingConditions {
    let configuration: String
    /// The SDK in Xcode's form: `iphoneos18.0`.
    var sdk = "iphoneos18.0"

    func hold(_ conditions: [String]) -> Bool {
        conditions.allSatisfy { text in
            let parts = text.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2 else { return false }
            return switch parts[0] {
            case "sdk": Self.matches(sdk, parts[1])
            case "arch": Self.matches("arm64", parts[1])
            case "config": Self.matches(configuration, parts[1])
            case "variant": Self.matches("normal", parts[1])
            default: false
            }
        }
    }

    /// Whether a text matches a pattern, which may end in a star.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        pattern.hasSuffix("*") ? text.hasPrefix(pattern.dropLast()) : text == pattern
    }
}

extension SettingLayer {
    /// Reads the configuration of an `XCConfigurationList` that has the name, else the list's default, else its first.
    init(_ list: ProjectObject?, named name: String, in objects: ProjectObjects, _ paths: ProjectPaths)
        throws(ProjectError)
    {
        let all = objects.all(list?.texts("buildConfigurations") ?? [])
        let fallback = list?.text("defaultConfigurationName")
        let chosen = all.first { $0.text("name") == name } ?? all.first { $0.text("name") == fallback } ?? all.first
        var assignments: [SettingAssignment] = []
        var files: [String] = []
        var missing: [String] = []
        if let path = Self.base(of: chosen, objects, paths) {
            if FileManager.default.fileExists(atPath: path) {
                let file = try ConfigurationFile(path, root: paths.sourceRoot)
                assignments = file.assignments
                files = file.files
                missing = file.missing
            } else {
                missing.append(path)
            }
        }
        // The names are sorted, because a dictionary has no order; inherited values are in the layer below.
        for (key, value) in (chosen?.keys["buildSettings"]?.dictionary ?? [:]).sorted(by: { $0.0 < $1.0 }) {
            let text = value.string ?? (value.array ?? []).compactMap(\.string).joined(separator: " ")
            if let assignment = SettingAssignment(key, value: text) { assignments.append(assignment) }
        }
        self.init(assignments: assignments, files: files, missing: missing)
    }

    /// Returns the `.xcconfig`, named by a reference, or since Xcode 16 by a folder and the path in it.
    private static func base(of configuration: ProjectObject?, _ objects: ProjectObjects, _ paths: ProjectPaths)
        -> String?
    {
        guard let configuration else { return nil }
        if let reference = objects[configuration.text("baseConfigurationReference")] {
            return paths.path(of: reference)
        }
        guard let anchor = objects[configuration.text("baseConfigurationReferenceAnchor")],
            let below = configuration.text("baseConfigurationReferenceRelativePath"),
            let folder = paths.path(of: anchor)
        else { return nil }
        return ProjectPaths.standardized("\(folder)/\(below)")
    }
}
