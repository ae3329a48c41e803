// ClassLint: the check that the program contains the class that an extension names.

import ELF
import ExtensionProtocol

struct ClassLint {
    let information: InformationFile
    /// Whether the app has libraries that the program may load. The class may be in one of them.
    let hasEmbeddedLibraries: Bool

    /// - Parameter program: a program, not a script.
    func check(_ principalClass: String?, program: String, _ report: inout LintReport) {
        guard let name = principalClass, let dot = name.firstIndex(of: "."), !hasEmbeddedLibraries,
            let file = try? ELFFile(program), file.isOfThisMachine,
            let classes = SwiftClasses(file, module: String(name[..<dot])), !classes.names.contains(name)
        else { return }
        let near = classes.names.sorted().first { areNear($0, name) }
        let known = classes.names.sorted().prefix(8).map { $0.cut(toBytes: 64) }.joined(separator: ", ")
        let module = String(name[..<dot]).cut(toBytes: 64)
        information.report(
            &report, .classNotFound, "NSExtension.NSExtensionPrincipalClass",
            "the program has no class \(name.cut(toBytes: 128))",
            remedy: near.map { "Is \($0.cut(toBytes: 128)) meant?" }
                ?? (known.isEmpty
                    ? "Name the class as Module.Class; the program has no class in a module \(module)"
                    : "Name an existing class: \(known)"))
    }
}
