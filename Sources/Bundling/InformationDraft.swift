// InformationDraft: an author's Info.plist on its way into a bundle, with expanded settings and added keys.

import BundleLint
import ExtensionRegistry
import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding

/// An author's `Info.plist`. Its lines keep their places, so lint's lines for the bundle's file hold for the author's.
struct InformationDraft {
    let path: String
    private let bytes: [UInt8]
    /// The dictionary as the author wrote it, but for a point of broadcasts of iOS 10, which has become two.
    let dictionary: PropertyListDictionary
    /// The keys that occur again in their dictionaries, with the author's lines.
    let repeated: [RepeatedKey]

    /// Reads the file. The limits of size, depth and count are those of a bundle.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - conditions: the conditions in the file; nil if it has none.
    init(_ path: String, conditions: InformationConditions? = nil) throws(ProjectError) {
        self.path = path
        var bytes: [UInt8]
        do {
            let read = try readFile(path, maximumSize: BundleInformation.fileLimit)
            var conditions = conditions
            // The error of the property list names the line of the first directive.
            bytes = conditions?.apply(to: read) ?? read
        } catch {
            let code = error.code
            throw ProjectError(
                code == ENOENT
                    ? ProjectFinding(.informationMissing, path, "there is no Info.plist", remedy: "Write one")
                    : ProjectFinding(
                        code == EFBIG ? .informationTooLarge : .informationUnreadable, path,
                        "it cannot be read: \(error)",
                        remedy: "Make it a readable, regular file of at most \(BundleInformation.fileLimit) bytes"))
        }
        let value: PropertyList
        do {
            value = try PropertyList(file: bytes, limits: BundleInformation.limits, form: .authored)
        } catch {
            var line: Int?
            if case .line(let number, _) = error.place { line = number }
            throw ProjectError(
                ProjectFinding(
                    .informationUnreadable, path, line: line, "it is not a supported property list: \(error)",
                    remedy: "Correct the file there; plistutil and plutil convert other forms to XML"))
        }
        guard var dictionary = value.dictionary else {
            throw ProjectError(
                ProjectFinding(
                    .informationNotDictionary, path, "its root is no dictionary", remedy: "Make its root a <dict>"))
        }
        repeated = PropertyList.repeatedKeys(inFile: bytes, limits: BundleInformation.limits)
        if Self.point(of: dictionary) == Self.oldPoint {
            guard let point = Self.newPoint(of: dictionary) else { throw Self.twoPoints(path) }
            var declaration = dictionary["NSExtension"]?.dictionary ?? PropertyListDictionary()
            declaration[Self.pointKey] = .string(point)
            dictionary["NSExtension"] = .dictionary(declaration)
            if !bytes.starts(with: "bplist".utf8) {
                var text = String(decoding: bytes, as: UTF8.self)
                Self.replace(Self.pointKey, by: point, in: &text)
                bytes = Array(text.utf8)
                // The key may stand in a comment, or with other spaces.
                let written = try? PropertyList(file: bytes, limits: BundleInformation.limits, form: .authored)
                guard Self.point(of: written?.dictionary) == point else { throw Self.twoPoints(path) }
            }
        }
        (self.bytes, self.dictionary) = (bytes, dictionary)
    }

    /// Creates a draft without a file, as Xcode generates it; `path` is the file that it is generated from.
    init(generatedFor path: String) {
        self.path = path
        bytes = Array("<plist version=\"1.0\"><dict/></plist>".utf8)
        dictionary = PropertyListDictionary()
        repeated = []
    }

    /// The file's text with its variables; empty for a binary file.
    var text: String { bytes.starts(with: "bplist".utf8) ? "" : String(decoding: bytes, as: UTF8.self) }

    var isExtension: Bool {
        dictionary["NSExtension"] != nil || dictionary["CFBundlePackageType"]?.string == "XPC!"
            || path.hasSuffix(".appex/Info.plist")
    }

    var isFramework: Bool {
        !isExtension && dictionary["CFBundlePackageType"]?.string == "FMWK"
    }

    /// The value of `CFBundlePackageType`.
    var packageType: String { isExtension ? "XPC!" : isFramework ? "FMWK" : "APPL" }

    /// Returns a text at the top with its settings expanded; nil if there is none.
    func text(_ key: String, _ settings: BuildSettings) -> String? {
        dictionary[key]?.string.map { settings.expanded($0) }
    }

    /// Whether the extension names both a class and a storyboard, which exclude each other.
    var namesClassAndStoryboard: Bool {
        let declaration = dictionary["NSExtension"]?.dictionary
        return declaration?[Self.classKey]?.string != nil && declaration?[Self.storyboardKey]?.string != nil
    }

    /// Returns the bundle's file, with `additions` for missing keys, and with another principal class if one is given.
    ///
    /// - Parameters:
    ///   - dropsStoryboard: whether a storyboard beside a class is omitted.
    ///   - intents: the classes of intents in other modules, as `Module.Class`, by their names.
    func written(
        _ settings: BuildSettings, adding additions: [Addition], principalClass: String? = nil,
        dropsStoryboard: Bool = false, intents: [String: String] = [:]
    ) -> [UInt8] {
        let dropsStoryboard = dropsStoryboard && namesClassAndStoryboard
        let missing = additions.filter { dictionary[$0.key] == nil }
        var all = Self.expanded(.dictionary(dictionary), settings).dictionary ?? dictionary
        for (key, value) in missing { all[key] = Self.expanded(value, settings) }
        if var declaration = all["NSExtension"]?.dictionary {
            if let principalClass { declaration[Self.classKey] = .string(principalClass) }
            if dropsStoryboard { declaration[Self.storyboardKey] = nil }
            if var attributes = declaration["NSExtensionAttributes"]?.dictionary {
                for key in Self.intentKeys {
                    guard let names = attributes[key]?.array else { continue }
                    attributes[key] = .array(
                        names.map { $0.string.flatMap { intents[$0] }.map { .string($0) } ?? $0 })
                }
                declaration["NSExtensionAttributes"] = .dictionary(attributes)
            }
            all["NSExtension"] = .dictionary(declaration)
        }
        if !bytes.starts(with: "bplist".utf8) {
            let text = writtenText(
                settings, missing, principalClass: principalClass, dropsStoryboard: dropsStoryboard, intents: intents)
            let isEdited = !missing.isEmpty || principalClass != nil || dropsStoryboard || !intents.isEmpty
            // Attributes and repeated keys can mislead the search in the text.
            guard isEdited else { return text }
            let read = try? PropertyList(file: text, limits: BundleInformation.limits, form: .authored)
            if read == .dictionary(all) { return text }
        }
        // A list that was read within the limits can be written.
        return (try? PropertyList.dictionary(all).encodeBinary()) ?? bytes
    }

    /// Returns the file's text with the same changes. Lines stay.
    private func writtenText(
        _ settings: BuildSettings, _ missing: [Addition], principalClass: String?, dropsStoryboard: Bool,
        intents: [String: String]
    ) -> [UInt8] {
        var text = settings.expanded(String(decoding: bytes, as: UTF8.self), written: Self.escaped)
        if let principalClass { Self.replace(Self.classKey, by: principalClass, in: &text) }
        if dropsStoryboard { Self.remove(Self.storyboardKey, from: &text) }
        if !intents.isEmpty { for key in Self.intentKeys { Self.replace(key, by: intents, in: &text) } }
        guard !missing.isEmpty, let top = Self.top(of: text) else { return Array(text.utf8) }
        let keys = missing.map { "<key>\($0.key)</key>\(Self.written($0.value, settings))" }.joined()
        // An empty dictionary may be one tag.
        guard text[top].hasSuffix("/>") else {
            return Array((text[..<top.upperBound] + keys + text[top.upperBound...]).utf8)
        }
        return Array((text[..<top.lowerBound] + "<dict>" + keys + "</dict>" + text[top.upperBound...]).utf8)
    }

    private static let pointKey = "NSExtensionPointIdentifier"

    /// The point of broadcasts in iOS 10. It had uploads and set-ups.
    private static let oldPoint = "com.apple.broadcast-services"

    private static func point(of dictionary: PropertyListDictionary?) -> String? {
        dictionary?["NSExtension"]?.dictionary?[pointKey]?.string
    }

    /// Returns the point that took the place of the old one; nil if nothing tells which.
    ///
    /// An upload names the kind of its process or a class alone, and a set-up has a storyboard.
    private static func newPoint(of dictionary: PropertyListDictionary) -> String? {
        let declaration = dictionary["NSExtension"]?.dictionary
        let (key, attributes) = ("RPBroadcastProcessMode", declaration?["NSExtensionAttributes"]?.dictionary)
        if declaration?[key] != nil || attributes?[key] != nil { return "\(oldPoint)-upload" }
        if declaration?[storyboardKey] != nil { return "\(oldPoint)-setupui" }
        return declaration?[classKey] != nil ? "\(oldPoint)-upload" : nil
    }

    private static func twoPoints(_ path: String) -> ProjectError {
        ProjectError(
            ProjectFinding(
                .pointUnclear, path, key: "NSExtension.\(pointKey)",
                "\(oldPoint) has become \(oldPoint)-upload and \(oldPoint)-setupui, and nothing here tells which",
                remedy: "Name one of the two points"))
    }

    private static let (classKey, storyboardKey) = ("NSExtensionPrincipalClass", "NSExtensionMainStoryboard")

    private static let intentKeys = ["IntentsSupported", "IntentsRestrictedWhileLocked"]

    /// Returns a string or a Boolean in XML.
    private static func written(_ value: PropertyList, _ settings: BuildSettings) -> String {
        if let flag = value.boolean { return flag ? "<true/>" : "<false/>" }
        return "<string>\(escaped(settings.expanded(value.string ?? "")))</string>"
    }

    /// Replaces the string behind the first such key. The document was parsed before, with no comment between the two.
    private static func replace(_ key: String, by value: String, in text: inout String) {
        guard let found = text.range(of: "<key>\(key)</key>"),
            let open = text.range(of: "<string>", range: found.upperBound..<text.endIndex),
            let close = text.range(of: "</string>", range: open.upperBound..<text.endIndex)
        else { return }
        text.replaceSubrange(open.upperBound..<close.lowerBound, with: escaped(value))
    }

    /// Replaces strings of the array behind the first such key.
    private static func replace(_ key: String, by names: [String: String], in text: inout String) {
        guard let found = text.range(of: "<key>\(key)</key>"),
            let close = text.range(of: "</array>", range: found.upperBound..<text.endIndex)
        else { return }
        let parts = text[found.upperBound..<close.lowerBound].components(separatedBy: "<string>").map { part in
            guard let end = part.range(of: "</string>"), let name = names[String(part[..<end.lowerBound])] else {
                return part
            }
            return escaped(name) + part[end.lowerBound...]
        }
        text.replaceSubrange(found.upperBound..<close.lowerBound, with: parts.joined(separator: "<string>"))
    }

    /// Removes such a key with its string; the lines stay.
    private static func remove(_ key: String, from text: inout String) {
        guard let found = text.range(of: "<key>\(key)</key>"),
            let close = text.range(of: "</string>", range: found.upperBound..<text.endIndex)
        else { return }
        let range = found.lowerBound..<close.upperBound
        text.replaceSubrange(range, with: text[range].filter(\.isNewline))
    }

    private static func expanded(_ value: PropertyList, _ settings: BuildSettings) -> PropertyList {
        switch value {
        case .string(let text): .string(settings.expanded(text))
        case .array(let values): .array(values.map { expanded($0, settings) })
        case .dictionary(let pairs):
            // The text's settings are expanded in its keys, too.
            .dictionary(
                pairs.reduce(into: PropertyListDictionary()) { $0[settings.expanded($1.0)] = expanded($1.1, settings) })
        default: value
        }
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
    }

    /// Returns the first tag of a dictionary outside comments. In a document that was parsed before, that is the
    /// root's.
    private static func top(of text: String) -> Range<String.Index>? {
        var rest = text[...]
        while let sign = rest.firstIndex(of: "<") {
            rest = rest[sign...]
            if rest.hasPrefix("<!--") {
                var end = rest
                while !end.isEmpty, !end.hasPrefix("-->") { end.removeFirst() }
                rest = end
            } else if rest.hasPrefix("<dict") {
                // An attribute may contain the sign that ends the tag.
                var quote: Character?
                for index in rest.indices {
                    let sign = rest[index]
                    if sign == quote {
                        quote = nil
                    } else if quote == nil, sign == "\"" || sign == "'" {
                        quote = sign
                    } else if quote == nil, sign == ">" {
                        return rest.startIndex..<rest.index(after: index)
                    }
                }
                return nil
            } else {
                rest.removeFirst()
            }
        }
        return nil
    }
}
