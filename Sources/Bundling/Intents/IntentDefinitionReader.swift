// IntentDefinitionReader: the reader of .intentdefinition files, which checks all that Swift code is made from.

import Foundation
import LinuxSystem
import PropertyListCoding

/// The reader of all files of one target.
///
/// A file that cannot be read disables only itself, and an invalid element only itself. Each has a warning.
struct IntentDefinitionReader {
    private(set) var definition = IntentDefinition()
    private(set) var findings: [ProjectFinding] = []
    /// The names of types that are declared, with the files that declare them.
    private var taken: [String: String]
    private var parametersLeft = parametersLimit

    static let fileLimit = 4 << 20
    private static let limits = PropertyListLimits(
        bytes: fileLimit, objects: 128 << 10, depth: 32, expandedNodes: 256 << 10, expandedBytes: 8 << 20)
    /// The maximum number of intents, types or enumerations of a target, and of cases or codes of one.
    static let (elementsLimit, casesLimit) = (500, 1000)
    /// The maximum number of parameters and properties of a target.
    static let parametersLimit = 5000
    /// The maximum number of warnings for one target.
    static let findingsLimit = 50

    /// - Parameter declared: the names of the types that the target's sources declare, with their files.
    init(declared: [String: String] = [:]) { taken = declared }

    /// Adds the contents of files. References to types and enumerations hold across files, whatever their order.
    mutating func read(_ files: [String]) {
        var contents: [(path: String, root: PropertyListDictionary)] = []
        for file in files { if let root = readRoot(file) { contents.append((file, root)) } }
        var known = Known()
        for (path, root) in contents {
            for (place, value) in dictionaries(root, "INEnums", path) {
                if let made = enumeration(value, Place(path, place)) {
                    known.enumerations[value.text("INEnumName") ?? ""] = made.name
                    definition.enumerations.append(made)
                }
            }
        }
        // Types may refer to each other, so their names are known before their properties.
        var pending: [(IntentDefinition.CustomType, PropertyListDictionary, Place)] = []
        for (path, root) in contents {
            for (place, value) in dictionaries(root, "INTypes", path) {
                guard let (made, at) = customType(value, Place(path, place)) else { continue }
                known.types[value.text("INTypeName") ?? ""] = made.name
                pending.append((made, value, at))
            }
        }
        for (made, value, at) in pending {
            var made = made
            made.properties = properties(
                value, "INTypeProperties", "INTypeProperty", at, known, IntentNames.objectMembers)
            definition.types.append(made)
        }
        for (path, root) in contents {
            for (place, value) in dictionaries(root, "INIntents", path) {
                if let made = intent(value, Place(path, place), known) { definition.intents.append(made) }
            }
        }
    }

    // MARK: Places and faults

    private struct Place {
        let file: String
        let key: String
        init(_ file: String, _ key: String) { (self.file, self.key) = (file, key) }
        func at(_ more: String) -> Place { Place(file, "\(key).\(more)") }
    }

    /// The names in the files of the types and enumerations that are generated, with their names in Swift.
    private struct Known {
        var types: [String: String] = [:]
        var enumerations: [String: String] = [:]
    }

    private mutating func leaveOut(_ place: Place, _ message: String, _ remedy: String) {
        report(.intentLeftOut, place.file, place.key, message, remedy)
    }

    private mutating func report(
        _ code: ProjectFinding.Code, _ file: String, _ key: String?, line: Int? = nil, _ message: String,
        _ remedy: String
    ) {
        guard findings.count < Self.findingsLimit else { return }
        findings.append(ProjectFinding(code, file, key: key, line: line, message, remedy: remedy))
    }

    /// Returns a text of the file for a message: bounded, without control characters.
    private static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(60).map { $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : $0 }
        return String(String.UnicodeScalarView(scalars)) + (text.unicodeScalars.count > 60 ? "…" : "")
    }

    private mutating func readRoot(_ file: String) -> PropertyListDictionary? {
        let bytes: [UInt8]
        do {
            bytes = try readFile(file, maximumSize: Self.fileLimit)
        } catch {
            report(
                .intentsUnreadable, file, nil, "no classes are generated from it, because it cannot be read: \(error)",
                "Make it a readable, regular file of at most \(Self.fileLimit) bytes")
            return nil
        }
        do {
            guard let root = try PropertyList(file: bytes, limits: Self.limits, form: .authored).dictionary else {
                report(
                    .intentsUnreadable, file, nil,
                    "no classes are generated from it, because its root is no dictionary",
                    "Open it in Xcode and save it")
                return nil
            }
            return root
        } catch {
            var line: Int?
            if case .line(let number, _) = error.place { line = number }
            report(
                .intentsUnreadable, file, nil, line: line,
                "no classes are generated from it, because it is not a supported property list: \(error)",
                "Correct the file there, or open it in Xcode and save it")
            return nil
        }
    }

    /// Returns the dictionaries of an array, each with its key path.
    private mutating func dictionaries(
        _ parent: PropertyListDictionary, _ key: String, _ file: String, limit: Int = elementsLimit
    ) -> [(String, PropertyListDictionary)] {
        guard let value = parent[key] else { return [] }
        guard let array = value.array else {
            leaveOut(Place(file, key), "\(key) is left out: it is no array", "Open the file in Xcode and save it")
            return []
        }
        if array.count > limit {
            leaveOut(
                Place(file, key), "\(array.count - limit) elements of \(key) are left out: at most \(limit) are read",
                "Divide the definition")
        }
        var found: [(String, PropertyListDictionary)] = []
        for (index, element) in array.prefix(limit).enumerated() {
            if let dictionary = element.dictionary {
                found.append(("\(key).\(index)", dictionary))
            } else {
                leaveOut(
                    Place(file, "\(key).\(index)"), "an element of \(key) is left out: it is no dictionary",
                    "Open the file in Xcode and save it")
            }
        }
        return found
    }

    /// Returns the name of a new type, and reserves it with those that follow from it; nil if it is left out.
    private mutating func claim(
        _ value: PropertyListDictionary, _ kind: String, _ place: Place, _ prefix: String, _ endings: [String]
    ) -> String? {
        guard let name = value.text(kind + "Name"), !name.isEmpty else {
            leaveOut(place.at(kind + "Name"), "an element is left out: it has no name", "Name it in Xcode")
            return nil
        }
        let stem = (value.text(prefix) ?? "") + name
        let names = endings.map { stem + $0 }
        guard names.allSatisfy(IntentNames.isTypeName) else {
            leaveOut(
                place.at(kind + "Name"), "“\(Self.shown(stem))” is left out: it is not the name of a class in Swift",
                "Rename it in Xcode with letters and digits")
            return nil
        }
        for name in names {
            guard let other = taken[name] else { continue }
            leaveOut(
                place.at(kind + "Name"), "“\(Self.shown(stem))” is left out: \(name) is already declared in \(other)",
                other == place.file
                    ? "Rename one of the two" : "Remove one of the two, or choose No Generated Classes in Xcode")
            return nil
        }
        for name in names { taken[name] = place.file }
        return stem
    }

    // MARK: Elements

    private mutating func enumeration(
        _ value: PropertyListDictionary, _ place: Place
    ) -> IntentDefinition.Enumeration? {
        guard let name = claim(value, "INEnum", place, "INEnumClassPrefix", ["", "ResolutionResult"]) else {
            return nil
        }
        var made = IntentDefinition.Enumeration(name: name)
        var names: Set<String> = []
        var values: Set<Int> = []
        for (key, entry) in dictionaries(value, "INEnumValues", place.file, limit: Self.casesLimit) {
            guard let name = entry.text("INEnumValueName"), IntentNames.isValid(name), names.insert(name).inserted
            else {
                leaveOut(
                    place.at(key), "a value of \(made.name) is left out: its name is invalid, or that of another value",
                    "Rename it in Xcode")
                continue
            }
            // The first value has no index in the file.
            let index = entry["INEnumValueIndex"]?.integer.map(Int.init) ?? (name == "unknown" ? 0 : made.cases.count)
            guard values.insert(index).inserted else {
                leaveOut(
                    place.at(key), "\(made.name).\(name) is left out: another value has the index \(index)",
                    "Give it an index of its own")
                continue
            }
            made.cases.append(IntentDefinition.Enumeration.Case(name: name, value: index))
        }
        // A parameter that nobody has set is unknown.
        let free = ["unknown", "none", "unknownValue"] + (0...names.count).map { "unknown\($0)" }
        if !values.contains(0), let name = free.first(where: { !names.contains($0) }) {
            made.cases.insert(IntentDefinition.Enumeration.Case(name: name, value: 0), at: 0)
        }
        return made
    }

    private mutating func customType(
        _ value: PropertyListDictionary, _ place: Place
    ) -> (IntentDefinition.CustomType, Place)? {
        claim(value, "INType", place, "INTypeClassPrefix", ["", "ResolutionResult"]).map {
            (IntentDefinition.CustomType(name: $0), place)
        }
    }

    private mutating func intent(
        _ value: PropertyListDictionary, _ place: Place, _ known: Known
    ) -> IntentDefinition.Intent? {
        let endings = ["Intent", "IntentResponse", "IntentResponseCode", "IntentHandling"]
        guard let stem = claim(value, "INIntent", place, "INIntentClassPrefix", endings) else { return nil }
        var made = IntentDefinition.Intent(name: value.text("INIntentName") ?? stem, stem: stem)
        made.category = value.text("INIntentCategory") ?? made.category
        made.verb = value.text("INIntentVerb") ?? made.verb
        for (property, entry, at) in parameters(
            value, "INIntentParameters", "INIntentParameter", place, known, IntentNames.intentMembers)
        {
            var parameter = IntentDefinition.Parameter(property: property)
            parameter.isResolved = entry.isOn("INIntentParameterSupportsResolution")
            parameter.hasOptions = entry.isOn("INIntentParameterSupportsDynamicEnumeration")
            parameter.isSearchable = parameter.hasOptions && entry.isOn("INIntentParameterSupportsSearch")
            if parameter.isResolved { parameter.unsupportedReasons = reasons(entry, at) }
            if !parameter.unsupportedReasons.isEmpty {
                let stem = stem + IntentNames.capitalized(property.name)
                let names = [stem + "UnsupportedReason", stem + "ResolutionResult"]
                if let other = names.first(where: { taken[$0] != nil }) {
                    leaveOut(
                        at, "the reasons of \(property.name) are left out: \(other) is already declared",
                        "Rename the parameter")
                    parameter.unsupportedReasons = []
                } else {
                    for name in names { taken[name] = place.file }
                }
            }
            made.parameters.append(parameter)
        }
        if let response = value["INIntentResponse"]?.dictionary {
            made.response = self.response(response, place.at("INIntentResponse"), known)
        }
        return made
    }

    private mutating func reasons(_ value: PropertyListDictionary, _ place: Place) -> [String] {
        var names: [String] = []
        let key = "INIntentParameterUnsupportedReason"
        for (at, entry) in dictionaries(value, key + "s", place.file, limit: Self.casesLimit) {
            guard let name = entry.text(key + "Code"), IntentNames.isValid(name), !names.contains(name) else {
                leaveOut(
                    place.at(at), "a reason is left out: its name is invalid, or that of another reason",
                    "Rename it in Xcode")
                continue
            }
            names.append(name)
        }
        return names
    }

    private mutating func response(
        _ value: PropertyListDictionary, _ place: Place, _ known: Known
    ) -> IntentDefinition.Response {
        var made = IntentDefinition.Response()
        made.parameters = properties(
            value, "INIntentResponseParameters", "INIntentResponseParameter", place, known, IntentNames.responseMembers)
        made.output = value.text("INIntentResponseOutput").flatMap { name in
            made.parameters.contains { $0.name == name } ? name : nil
        }
        let names = Set(made.parameters.map(\.name))
        var seen: Set<String> = []
        let key = "INIntentResponseCode"
        for (at, entry) in dictionaries(value, key + "s", place.file, limit: Self.casesLimit) {
            guard let name = entry.text(key + "Name"), IntentNames.isValid(name), seen.insert(name).inserted,
                !names.contains(name), !IntentNames.responseMembers.contains(name)
            else {
                leaveOut(
                    place.at(at), "a code is left out: its name is invalid, or that of another code or parameter",
                    "Rename it in Xcode")
                continue
            }
            var code = IntentDefinition.Code(name: name, isSuccess: entry.isOn(key + "Success"))
            for text in [entry.text(key + "FormatString"), entry.text(key + "ConciseFormatString")] {
                for name in Self.references(text ?? "") where names.contains(name) && !code.parameters.contains(name) {
                    code.parameters.append(name)
                }
            }
            made.codes.append(code)
        }
        return made
    }

    /// Returns the names in `${name}` and `${name.property}` of a text, in their order.
    static func references(_ text: String) -> [String] {
        var found: [String] = []
        var rest = text.prefix(10_000)
        while let start = rest.range(of: "${"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            let name = rest[start.upperBound..<end].prefix { $0 != "." }
            found.append(String(name))
            rest = rest[rest.index(after: end)...]
        }
        return found
    }

    // MARK: Properties

    private mutating func properties(
        _ value: PropertyListDictionary, _ list: String, _ key: String, _ place: Place, _ known: Known,
        _ reserved: Set<String>
    ) -> [IntentDefinition.Property] {
        parameters(value, list, key, place, known, reserved).map(\.0)
    }

    /// Returns the valid properties of a list with their entries and places.
    private mutating func parameters(
        _ value: PropertyListDictionary, _ list: String, _ key: String, _ place: Place, _ known: Known,
        _ reserved: Set<String>
    ) -> [(IntentDefinition.Property, PropertyListDictionary, Place)] {
        var found: [(IntentDefinition.Property, PropertyListDictionary, Place)] = []
        var names: Set<String> = []
        for (at, entry) in dictionaries(value, list, place.file, limit: Self.casesLimit) {
            let place = place.at(at)
            // `INObject` has these.
            if entry.isOn(key + "Default") { continue }
            guard let name = entry.text(key + "Name"), IntentNames.isValid(name) else {
                leaveOut(
                    place.at(key + "Name"),
                    "the parameter “\(Self.shown(entry.text(key + "Name") ?? ""))” is left out: it has no valid name",
                    "Rename it in Xcode")
                continue
            }
            guard !reserved.contains(name), !IntentNames.members.contains(name),
                names.insert(IntentNames.capitalized(name)).inserted
            else {
                leaveOut(
                    place.at(key + "Name"),
                    "the parameter \(name) is left out: another one, or the class itself, has this name",
                    "Rename it in Xcode")
                continue
            }
            guard let type = type(entry, key, known) else {
                let shown = [entry.text(key + "EnumType"), entry.text(key + "ObjectType"), entry.text(key + "Type")]
                leaveOut(
                    place.at(key + "Type"),
                    "the parameter \(name) is left out: there is no type “\(Self.shown(shown.compactMap { $0 }.first ?? ""))”",
                    "Choose another type, or add the type's definition to the target")
                continue
            }
            guard parametersLeft > 0 else {
                leaveOut(
                    place, "further parameters are left out: a target has at most \(Self.parametersLimit)",
                    "Divide the definition")
                return found
            }
            parametersLeft -= 1
            found.append(
                (
                    IntentDefinition.Property(
                        name: name, type: type, isMultiple: entry.isOn(key + "SupportsMultipleValues")), entry, place
                ))
        }
        return found
    }

    /// Returns the type of a property; nil for an unknown one.
    private func type(_ entry: PropertyListDictionary, _ key: String, _ known: Known) -> IntentValueType? {
        if let name = entry.text(key + "EnumType") { return known.enumerations[name].map { .enumeration($0) } }
        guard let kind = entry.text(key + "Type") else { return nil }
        guard let name = entry.text(key + "ObjectType") else { return .named(kind) }
        // Objects of the system have its namespace, and their kind as a name.
        return known.types[name].map { .object($0) } ?? .named(name)
    }
}

extension PropertyListDictionary {
    fileprivate func text(_ key: String) -> String? { self[key]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    fileprivate func isOn(_ key: String) -> Bool { self[key]?.boolean ?? (self[key]?.integer == 1) }
}
