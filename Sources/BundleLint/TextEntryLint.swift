// TextEntryLint: the check that a Today widget has no text that a person edits.

import ELF
import ExtensionProtocol
import LinuxSystem
import PropertyListCoding

/// A widget has no keyboard (the guide, "Today"). The check finds the text classes in the types of the program, in its
/// links to a UIKit library, and in its compiled storyboards and nibs.
struct TextEntryLint {
    static let point = "com.apple.widget-extension"
    private static let classes: Set<String> = ["UITextField", "UITextView"]
    /// The kits' own uses.
    private static let kits: Set<String> = ["UIKit", "Social"]
    private static let filesLimit = 1000

    let bundle: String

    /// - Parameter program: the program; nil if it is a script.
    func check(program: String?, _ report: inout LintReport) {
        if let program { check(program, report: &report) }
        for name in interfaces() {
            let path = bundle + "/" + name
            guard let bytes = try? readFile(path, maximumSize: PropertyListLimits.file.bytes),
                let value = try? PropertyList(file: bytes, limits: .file, form: .authored),
                let found = Self.text(in: value)
            else { continue }
            add(&report, path, "it has a \(found)")
        }
    }

    private func check(_ program: String, report: inout LintReport) {
        guard let file = try? ELFFile(program), file.isOfThisMachine else { return }
        let uses = SwiftFields.uses(of: Set(Self.classes.map { "UIKit.\($0)" }), outside: Self.kits, in: file)
        for use in uses.sorted(by: { ($0.owner, $0.type) < ($1.owner, $1.type) }).prefix(8) {
            add(&report, program, "\(use.owner.cut(toBytes: 128)) has a \(use.type.dropFirst("UIKit.".count))")
        }
        // The symbols of a class begin with the lengths and names of its module and of itself.
        let imports = (try? ELFLinks(file))?.imports ?? []
        for name in Self.classes.sorted() where uses.isEmpty {
            let prefix = "$s5UIKit\(name.utf8.count)\(name)C"
            if imports.contains(where: { $0.hasPrefix(prefix) }) { add(&report, program, "it uses \(name)") }
        }
    }

    private func add(_ report: inout LintReport, _ path: String, _ what: String) {
        report.add(
            .textEntryInWidget, path, "\(what), and a Today widget has no keyboard",
            remedy: "Show the text in a label, and edit it in the app")
    }

    /// The compiled files of the bundle, for all languages.
    private func interfaces() -> [String] {
        let names = (try? listDirectory(bundle, maximumCount: Self.filesLimit)) ?? []
        let inner = names.filter { $0.hasSuffix(".lproj") }.flatMap { folder in
            ((try? listDirectory(bundle + "/" + folder, maximumCount: Self.filesLimit)) ?? []).map { folder + "/" + $0 }
        }
        return (names + inner).filter { $0.hasSuffix(".storyboardc") || $0.hasSuffix(".nib") }.sorted()
    }

    /// Returns the text class of an object in a compiled file, unless it cannot be edited.
    private static func text(in value: PropertyList) -> String? {
        if let members = value.dictionary {
            if let name = members["class"]?.string, classes.contains(name),
                members["values"]?.dictionary?["editable"]?.boolean != false
            {
                return name
            }
            return members.lazy.compactMap { text(in: $0.1) }.first
        }
        return value.array?.lazy.compactMap { text(in: $0) }.first
    }
}
