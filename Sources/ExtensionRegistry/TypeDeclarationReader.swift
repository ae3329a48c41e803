// TypeDeclarationReader: the reader of an Info.plist's declared types; a bad declaration disables only itself.

import ExtensionProtocol
public import PropertyListCoding
public import UniformTypeIdentifiers

/// The reader of `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`.
///
/// Every name and value is hostile until checked.
public struct TypeDeclarationReader {
    /// The maximum number of declarations of one bundle.
    ///
    /// `listLimit` is the maximum for the supertypes and the classes of tags of one declaration, and for the tags of a
    /// class.
    static let declarationsLimit = 256
    static let listLimit = 64
    /// The maximum size of one text, in bytes.
    static let textLimit = 512

    /// The exported types, then the imported ones, in the order of the file.
    public private(set) var types: [DeclaredType] = []
    public private(set) var faults: [DeclarationFault] = []

    /// The faults, each in one line.
    public var problems: [String] { faults.map(\.text) }

    /// - Parameter information: an `Info.plist`, of an app or an extension.
    public init(_ information: PropertyListDictionary) {
        for (key, origin) in zip(Self.keys, [DeclaredType.Origin.exported, .imported]) {
            read(information, key, origin)
        }
    }

    static let keys = ["UTExportedTypeDeclarations", "UTImportedTypeDeclarations"]

    private mutating func read(_ information: PropertyListDictionary, _ key: String, _ origin: DeclaredType.Origin) {
        guard let value = information[key] else { return }
        guard let entries = value.array else {
            return faults.append(DeclarationFault(key, "\(key) is not a list", remedy: "Write it as <array>…</array>"))
        }
        if entries.count > Self.declarationsLimit {
            faults.append(
                DeclarationFault(
                    key, "\(key) has more than \(Self.declarationsLimit) declarations",
                    remedy: "The daemon ignores the rest; declare fewer"))
        }
        for (place, entry) in entries.prefix(Self.declarationsLimit).enumerated() {
            do throws(Fault) {
                types.append(try Self.declaration(entry, origin))
            } catch {
                let key = "\(key)[\(place)]" + (error.key.map { ".\($0)" } ?? "")
                faults.append(DeclarationFault(key, "\(key) \(error.problem)", remedy: error.remedy))
            }
        }
    }

    private struct Fault: Error {
        var key: String?
        var problem: String
        var remedy: String
    }

    private static func declaration(_ entry: PropertyList, _ origin: DeclaredType.Origin) throws(Fault) -> DeclaredType
    {
        guard let dictionary = entry.dictionary else {
            throw Fault(problem: "is not a dictionary", remedy: "Write it as <dict>…</dict>")
        }
        guard let identifier = try text("UTTypeIdentifier", in: dictionary) else {
            throw Fault(key: "UTTypeIdentifier", problem: "is missing", remedy: "Name the type, as in com.example.note")
        }
        guard isIdentifier(identifier) else {
            throw Fault(
                key: "UTTypeIdentifier",
                problem:
                    "must consist of letters, digits, hyphens and dots, and must not begin with dyn",
                remedy: "Write it as in com.example.note"
            )
        }
        var type = DeclaredType(identifier: identifier, origin: origin)
        type.supertypes = try list("UTTypeConformsTo", dictionary["UTTypeConformsTo"])
        if let value = dictionary["UTTypeTagSpecification"] {
            guard let classes = value.dictionary, classes.count <= listLimit else {
                throw Fault(
                    key: "UTTypeTagSpecification",
                    problem: "is not a dictionary of at most \(listLimit) classes", remedy: "Write it as <dict>…</dict>"
                )
            }
            for (name, tags) in classes {
                type.tags[UTTagClass(rawValue: name)] = try list(
                    "UTTypeTagSpecification.\(name.cut(toBytes: 64))", tags)
            }
        }
        type.summary = try text("UTTypeDescription", in: dictionary)
        type.referenceURL = try text("UTTypeReferenceURL", in: dictionary)
        // Apple's own property lists use both forms.
        if let value = dictionary["UTTypeVersion"] {
            guard let version = value.integer.flatMap(Int.init(exactly:)) ?? value.string.flatMap({ Int($0) }) else {
                throw Fault(key: "UTTypeVersion", problem: "is no integer", remedy: "Write it as <integer>…</integer>")
            }
            type.version = version
        }
        return type
    }

    private static func text(_ key: String, in dictionary: PropertyListDictionary) throws(Fault) -> String? {
        guard let value = dictionary[key] else { return nil }
        guard let text = value.string, isText(text) else {
            throw Fault(
                key: key, problem: "is no text of 1 to \(textLimit) bytes", remedy: "Write it as <string>…</string>")
        }
        return text
    }

    /// Reads one text, or a list of texts.
    private static func list(_ key: String, _ value: PropertyList?) throws(Fault) -> [String] {
        guard let value else { return [] }
        let texts = value.string.map { [$0] } ?? value.array.map { $0.compactMap(\.string) } ?? []
        guard !texts.isEmpty || value.array?.isEmpty == true, texts.count == value.array?.count ?? 1,
            texts.count <= listLimit,
            texts.allSatisfy(isText)
        else {
            throw Fault(
                key: key, problem: "is neither a text nor a list of at most \(listLimit) texts",
                remedy: "Write it as <array>…</array>")
        }
        return texts
    }

    private static func isText(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= textLimit && !text.utf8.contains(0)
    }

    private static func isIdentifier(_ text: String) -> Bool {
        !text.lowercased().hasPrefix("dyn.") && text.utf8.count <= 255
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
