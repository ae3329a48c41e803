// BundleInformation: an extension's Info.plist, parsed from bytes to typed values and faults; no files, no clock.

import ExtensionProtocol
package import PropertyListCoding
import UniformTypeIdentifiers

/// The contents of an `Info.plist`. They are hostile until read: bytes, depth and length of texts are bounded.
package struct BundleInformation {
    /// The maximum size of an `Info.plist`, in bytes.
    package static let fileLimit = 1024 * 1024
    /// The maximum size of the binary form, in bytes. A larger one disables its bundle.
    ///
    /// The binary form is stored for criteria and for `show`.
    package static let packedLimit = 128 * 1024
    /// The limits of parsing. A rule may take 64 KiB by itself (spec 3.3), and nothing nests deeper than this.
    package static let limits = PropertyListLimits(
        bytes: fileLimit, objects: 16 << 10, depth: 64, expandedNodes: 32 << 10, expandedBytes: 2 << 20)

    private(set) var identifier: String?
    private(set) var version: String?
    private(set) var shortVersion: String?
    private(set) var displayName: String?
    private(set) var name: String?
    private(set) var executable: String?
    private(set) var declaration = ExtensionDeclaration()
    /// The declared types, exported ones first, then imported ones.
    private(set) var types: [DeclaredType] = []
    /// The whole list; empty if it cannot be stored.
    private(set) var kept = InformationBytes.binary([])
    /// The binary form of the list.
    var packed: [UInt8] { kept.binary }
    /// The faults, each with its remedy. Any of them disables the bundle.
    private(set) var problems: [String] = []
    /// The warnings, each with its remedy. None of them disables anything.
    private(set) var warnings: [String] = []

    /// Parses a file's contents.
    init(file bytes: [UInt8]) {
        do {
            guard case .dictionary(let dictionary) = try PropertyList(file: bytes, limits: Self.limits, form: .authored)
            else {
                problems.append("Info.plist is a property list, but not a dictionary. Make its root a <dict>")
                return
            }
            read(dictionary)
            kept = .file(bytes)
            guard bytes.count > Self.smallFile || bytes.starts(with: "bplist".utf8) else { return }
            let packed = try PropertyList.dictionary(dictionary).encodeBinary()
            if packed.count <= Self.packedLimit {
                kept = .binary(packed)
            } else {
                problems.append(
                    "Info.plist has \(packed.count) bytes in binary form, and the limit is \(Self.packedLimit). Move data that the system does not read into another file"
                )
                kept = .binary([])
            }
        } catch {
            problems.append("Info.plist cannot be read: \(error). Check it with plistutil or exthostctl lint")
            kept = .binary([])
        }
    }

    /// The maximum size, in bytes, of an XML file whose binary form is certainly within the limit.
    ///
    /// Such a file is converted only on demand. Its binary form is at most about twice as long. One character can turn
    /// a text into UTF-16, and a value takes no more bytes beside its text than its tags do. A binary file has no such
    /// bound, because it may refer to one object many times.
    private static let smallFile = 48 * 1024

    /// Creates the information of a bundle without a readable `Info.plist`.
    init(problem: String) { problems.append(problem) }

    private mutating func read(_ dictionary: PropertyListDictionary) {
        var keys = DeclarationKeys(dictionary, under: "Info.plist")
        identifier = keys.text("CFBundleIdentifier")
        version = keys.text("CFBundleVersion")
        shortVersion = keys.text("CFBundleShortVersionString")
        displayName = keys.text("CFBundleDisplayName")
        name = keys.text("CFBundleName")
        executable = keys.text("CFBundleExecutable")
        let declared = keys.dictionary("NSExtension")
        problems += keys.faults.map(\.text)
        if let declared { declaration = ExtensionDeclaration(declared, problems: &problems) }
        if dictionary["CFBundleIdentifier"] == nil {
            problems.append("Info.plist has no CFBundleIdentifier. Add one that begins with the app's")
        }
        if dictionary["NSExtension"] == nil {
            problems.append("Info.plist has no NSExtension dictionary. Add one")
        } else if declared?["NSExtensionPointIdentifier"] == nil, declared != nil {
            problems.append("NSExtension has no NSExtensionPointIdentifier. Name the extension point")
        }
        if dictionary["CFBundleExecutable"] == nil {
            problems.append("Info.plist has no CFBundleExecutable. Name the program in the bundle")
        }
        if let named = identifier, !Self.isIdentifier(named) {
            problems.append(
                "CFBundleIdentifier must have at most 255 letters, digits, hyphens and dots, and must not begin with a dot. Rename it"
            )
            identifier = nil
        }
        if let named = executable, named.contains("/") || named == ".." || named == "." || named.contains("\0") {
            problems.append(
                "CFBundleExecutable must be a file name inside the bundle, without folders. Write only the program's name"
            )
            executable = nil
        }
        warn(dictionary)
    }

    private mutating func warn(_ dictionary: PropertyListDictionary) {
        if let version, !BundleVersion(version).isWellFormed {
            warnings.append(
                "CFBundleVersion “\(version.cut(toBytes: 64))” does not consist of numbers with dots between them. Write, for example, 1.2.3"
            )
        }
        let declared = TypeDeclarationReader(dictionary)
        types = declared.types
        warnings += declared.problems
        if let type = dictionary["CFBundlePackageType"], type.string != "XPC!" {
            warnings.append("CFBundlePackageType is not XPC!. Write <string>XPC!</string>")
        }
        if declaration.principalClass != nil, declaration.mainStoryboard != nil {
            warnings.append(
                "NSExtensionPrincipalClass and NSExtensionMainStoryboard exclude each other, and the class takes precedence. Remove one"
            )
        }
    }

    /// Checks the bundle against the app that contains it.
    ///
    /// The identifier must be the app's, followed by a dot and more; any other disables the bundle. Versions must
    /// agree; if they do not, that is a warning, because a store refuses them but the system does not.
    mutating func check(against app: ContainingApp) {
        guard let prefix = app.identifier else {
            warnings.append(
                "the app around it has no readable CFBundleIdentifier, so the identifier is not compared with it. Give \(app.name) an Info.plist"
            )
            return
        }
        if let identifier, !identifier.hasPrefix(prefix + ".") {
            problems.append(
                "CFBundleIdentifier \(identifier) does not begin with that of the app around it, \(prefix), and a dot. Rename it to \(prefix).NAME"
            )
        }
        warnings += app.typeProblems.map { "in the app around it: \($0)" }
        for (key, own, theirs) in [
            ("CFBundleVersion", version, app.version), ("CFBundleShortVersionString", shortVersion, app.shortVersion),
        ] {
            guard let own, let theirs, own != theirs else { continue }
            warnings.append("\(key) \(own) differs from that of the app around it, \(theirs). Give both the same value")
        }
    }

    /// Whether a text is a valid identifier. Identifiers name folders, so `..` and hidden names are invalid.
    package static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count <= 255 && !text.hasPrefix(".")
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

/// The app around an extension, with the properties that the extension is checked against.
struct ContainingApp: Sendable, Hashable {
    var path: String
    var identifier: String?
    var version: String?
    var shortVersion: String?
    var displayName: String?
    /// `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations` in binary form; empty where there are none.
    var typeDeclarations: [UInt8] = []
    /// The types that these declare. `typeProblems` has each fault in the declarations, with its remedy.
    var types: [DeclaredType] = []
    var typeProblems: [String] = []

    /// The folder's name, for people.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    init(path: String) { self.path = path }

    /// Parses the app's `Info.plist`. Its faults are not the extension's, so unreadable values are absent.
    init(path: String, file bytes: [UInt8]) {
        self.path = path
        guard let dictionary = try? PropertyList(file: bytes, limits: .packet, form: .authored).dictionary else {
            return
        }
        var keys = DeclarationKeys(dictionary, under: "Info.plist")
        identifier = keys.text("CFBundleIdentifier").flatMap { BundleInformation.isIdentifier($0) ? $0 : nil }
        version = keys.text("CFBundleVersion")
        shortVersion = keys.text("CFBundleShortVersionString")
        displayName = keys.text("CFBundleDisplayName") ?? keys.text("CFBundleName")
        let declared = TypeDeclarationReader.keys.compactMap { key in dictionary[key].map { (key, $0) } }
        guard !declared.isEmpty else { return }
        let declarations = PropertyListDictionary(declared)
        let reader = TypeDeclarationReader(declarations)
        (types, typeProblems) = (reader.types, reader.problems)
        typeDeclarations = (try? PropertyList.dictionary(declarations).encodeBinary()) ?? []
    }
}
