// LinkLint: the checks of an extension program's links, through the libraries in its bundle and its app.

import ELF
import ExtensionProtocol
import Glibc
import LinuxSystem

/// The checks follow the loader (ld.so(8)) from the program through the libraries of `Frameworks`.
///
/// They stay inside the app: the system's libraries are not checked, nor are libraries that only the app links to.
struct LinkLint {
    /// The maximum number of libraries of one program.
    static let librariesLimit = 256

    /// The real path of the app, or of an extension without an app.
    private let root: String
    /// The folders for embedded libraries, at the paths where the loader would find them.
    private let frameworks: [String]
    /// Returns a path below `root` in the form of the caller's path.
    private let shown: (String) -> String
    private let uses: Set<HostOnlyCode.Use>

    init(bundle: String, app: String?, uses: Set<HostOnlyCode.Use>) {
        let outer = app ?? bundle
        let (root, inner) = (realPath(outer) ?? outer, realPath(bundle) ?? bundle)
        self.root = root
        self.uses = uses
        frameworks = [root, inner].flatMap { [$0 + "/Frameworks", $0 + "/Contents/Frameworks"] }
        shown = { $0.hasPrefix(root + "/") ? outer + $0.dropFirst(root.count) : $0 }
    }

    /// A file that the loader would load.
    private struct Loaded {
        let path: String
        /// The folders in the `DT_RPATH` of the files that led to it.
        let inherited: [String]
    }

    func check(program: String, _ report: inout LintReport) {
        guard let program = realPath(program) else { return }
        var queue = [Loaded(path: program, inherited: [])]
        var names: Set<String> = []
        var next = 0
        while next < queue.count {
            let file = queue[next]
            let links: ELFLinks
            do throws(ELFDamage) {
                guard let found = try self.links(of: file.path, isProgram: next == 0, &report) else { return }
                links = found
            } catch {
                report.add(
                    next == 0 ? .executableDamaged : .libraryUnreadable, shown(file.path),
                    "the loader rejects it: \(error)", remedy: "Link it again")
                if next == 0 { return }
                next += 1
                continue
            }
            next += 1
            if let name = links.name { names.insert(name) }
            judge(file.path, links, &report)
            let origin = String(file.path.prefix(upTo: file.path.lastIndex(of: "/") ?? file.path.startIndex))
            let own = (links.runPath == nil ? links.inheritedRunPath ?? [] : []).map { Self.expanded($0, origin) }
            let folders = links.runPath?.map { Self.expanded($0, origin) } ?? own + file.inherited
            for needed in links.needed where names.insert(needed).inserted {
                switch find(needed, folders) {
                case .embedded(let path):
                    guard queue.count < Self.librariesLimit else {
                        return report.add(
                            .filesUnread, root,
                            "more than \(Self.librariesLimit) libraries: lint did not check the others",
                            remedy: "Combine several libraries into one")
                    }
                    if !queue.contains(where: { $0.path == path }) {
                        queue.append(Loaded(path: path, inherited: own + file.inherited))
                    }
                case .elsewhere: break
                case .unreached(let path):
                    report.add(
                        .libraryNotFound, shown(file.path),
                        "it needs \(needed.cut(toBytes: 128)), but does not search \(shown(path))",
                        remedy: "Link it with the run path \(Self.runPath(from: origin, to: path)) (-Wl,-rpath)")
                }
            }
        }
    }

    /// Returns the links of a file; nil for a program of another machine, which `ProgramLint` reports.
    private func links(of path: String, isProgram: Bool, _ report: inout LintReport) throws(ELFDamage) -> ELFLinks? {
        let file = try ELFFile(path)
        guard file.isOfThisMachine else {
            if isProgram { return nil }
            report.add(
                .libraryWrongMachine, shown(path),
                "it is for \(file.header.machineName), \(file.header.is64Bit ? 64 : 32) bits, and the extension links to it",
                remedy: "Build it for \(ELFHeader.ofThisMachine.machineName)")
            return ELFLinks.none
        }
        return try ELFLinks(file)
    }

    // MARK: Unsafe code

    private func judge(_ path: String, _ links: ELFLinks, _ report: inout LintReport) {
        for code in HostOnlyCode.all where code.uses.isEmpty || code.uses.isDisjoint(with: uses) {
            let libraries = links.needed.filter { code.names(library: $0) }
            var symbols = links.imports.filter { code.names(symbol: $0) }.sorted()
            var contained = [code.what].filter { links.hostOnly.contains($0) }
            if code.what == HostOnlyCode.kit.what {
                // Other code may mark itself by a note of its own.
                contained = links.hostOnly
                if !libraries.isEmpty || !contained.isEmpty { symbols = [] }
            }
            if !libraries.isEmpty {
                report.add(
                    .hostOnlyLibrary, shown(path),
                    "linking against \(Self.list(libraries)), not safe for use in extensions: \(code.reason)",
                    remedy: code.remedy
                )
            }
            if !contained.isEmpty {
                report.add(
                    .hostOnlyLibrary, shown(path),
                    "it contains \(Self.list(contained)), not safe for use in extensions: \(code.reason)",
                    remedy: code.remedy)
            }
            if !symbols.isEmpty {
                report.add(
                    .unsafeImport, shown(path),
                    "it calls \(Self.list(symbols)), for \(code.what), which is not available to extensions: \(code.reason)",
                    remedy: code.remedy)
            }
        }
    }

    private static func list(_ names: [String]) -> String {
        let first = names.prefix(3).map { $0.cut(toBytes: 96) }.joined(separator: ", ")
        return names.count > 3 ? "\(first) and \(names.count - 3) more" : first
    }

    // MARK: Finding

    private enum Place {
        /// The real path of a library inside the app.
        case embedded(String)
        /// A library of the system, or a missing one: the two are indistinguishable here.
        case elsewhere
        /// A library in a folder of the app that the loader does not search.
        case unreached(String)
    }

    private func find(_ name: String, _ folders: [String]) -> Place {
        // A name with a slash is a path, which is used unchanged.
        let candidates = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
        for candidate in candidates where isFile(candidate) {
            guard let path = realPath(candidate), path.hasPrefix(root + "/") else { return .elsewhere }
            return .embedded(path)
        }
        for folder in frameworks where !name.contains("/") && isFile("\(folder)/\(name)") {
            return .unreached("\(folder)/\(name)")
        }
        return .elsewhere
    }

    private func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func expanded(_ folder: String, _ origin: String) -> String {
        folder.replacing("${ORIGIN}", with: origin).replacing("$ORIGIN", with: origin)
    }

    /// Returns the path from one folder to that of a file, in the form of a run path.
    private static func runPath(from origin: String, to path: String) -> String {
        let (from, to) = (origin.split(separator: "/"), path.split(separator: "/").dropLast())
        let common = zip(from, to).prefix { $0 == $1 }.count
        return
            (["$ORIGIN"] + Array(repeating: "..", count: from.count - common) + to.dropFirst(common).map(String.init))
            .joined(separator: "/")
    }
}
