// SourceStep: from the files of targets to the texts of their copies.

/// Rewrites Swift files that were written for Apple's systems. A pure function of the files' texts.
public struct SourceStep {
    /// The result for one file.
    public struct Rewritten {
        public let path: String
        /// The copy's text; nil if the original can be compiled as it is.
        public let text: String?
    }

    /// The result for one target.
    public struct Result {
        public internal(set) var files: [Rewritten] = []
        public internal(set) var report: StepReport.Target
        let index: TypeIndex
        let scans: [FileScan]
    }

    /// - Parameters:
    ///   - target: names the module and what is known; its list of files is not looked at.
    ///   - sources: the files with their texts, in an order that stays the same.
    public static func rewrite(_ target: StepDescription.Target, sources: [(path: String, text: String)]) -> Result {
        rewrite(target, sources.map { FileScan(ParsedFile(path: $0.path, text: $0.text)) })
    }

    /// - Parameter others: scans of the targets that are built with this one: their protocols may have optional
    ///   requirements.
    static func rewrite(
        _ target: StepDescription.Target, _ scans: [FileScan], others: [FileScan] = []
    ) -> Result {
        let index = TypeIndex(scans.flatMap(\.blocks))
        let optionals = OptionalRequirements((scans + others).flatMap(\.blocks))
        let exposed = ExposedMembers(
            index: index, uses: scans.flatMap(\.words.selectors),
            texts: scans.reduce(into: []) { $0.formUnion($1.words.selectorTexts) }, optionals: optionals)
        var tables = MethodTables(index: index, exposed: exposed)
        var result = Result(report: StepReport.Target(module: target.module), index: index, scans: scans)
        let resolver = SelectorResolver(index: index)
        let network = Imports.network(of: scans, others, target)
        let hasMain = scans.contains { $0.words.hasMain || $0.file.name == "main.swift" }
        for scan in scans {
            let hasKit = scan.imports.hasKit || target.knows(Imports.kit)
            var table = hasKit ? tables.text(for: scan.blocks) : nil
            var notes = scan.words.notes
            if hasKit { notes += tables.notes.map { ($0.place, .notCallable, $0.message) } }
            var edits = scan.words.edits + scan.names.edits
            if hasKit { edits += scan.blocks.flatMap(exposed.reported).flatMap(\.reports) }
            edits += scan.names.makings.filter { !index.declares([$0.bound]) }.map(\.edit)
            edits += scan.imports.edits(for: network, in: scan.file.bytes)
            // An extension of Apple's begins with NSExtensionMain, whatever its sources have.
            for main in scan.words.applicationMains where hasMain || !main.isNew {
                edits.append(
                    hasMain
                        ? .blank(main.range, in: scan.file.bytes)
                        : .replace(main.range, in: scan.file.bytes, with: "@main"))
            }
            for use in scan.words.selectors {
                guard hasKit else {
                    notes.append(
                        (use.place, .notRewritten, "the target does not depend on \(Imports.kit), which has Selector"))
                    continue
                }
                let resolved = resolver.resolve(use)
                edits.append(.replace(use.range, in: scan.file.bytes, with: "_sel(\"\(resolved.name)\")"))
                guard resolved.isGuess else { continue }
                notes.append(
                    (
                        use.place, .guessedSelector,
                        "no file of the target declares \(use.base), so the selector is “\(resolved.name)”"
                    ))
            }
            for requirement in scan.blocks.flatMap(\.optionals) {
                guard hasKit, requirement.obstacle == nil else {
                    let obstacle = requirement.obstacle ?? "the target does not depend on \(Imports.kit)"
                    notes.append(
                        (requirement.place, .notRewritten, "the requirement cannot be optional here: \(obstacle)"))
                    continue
                }
                edits.append(.blank(requirement.range, in: scan.file.bytes))
                table = (table ?? "") + requirement.text
            }
            for call in scan.words.optionalCalls where hasKit && optionals.isCalled(call) {
                edits.append(.blank(call.range, in: scan.file.bytes))
            }
            let overrides = ExtensionOverrides(scan)
            edits = overrides.moved(edits)
            notes += overrides.left.map { ($0, .notRewritten, ExtensionOverrides.leftMessage) }
            let usesKit = scan.imports.bringsFoundation || table != nil || !scan.words.selectors.isEmpty
            var added: [String] = []
            if hasKit, !scan.imports.hasKit, usesKit { added.append(Imports.kit) }
            if scan.imports.lacksNetwork { added.append(network) }
            if network == Imports.networkModule, scan.imports.waitsForConnectivity, !scan.file.knowsLinux,
                scan.imports.lacksNetwork
            {
                table = (table ?? "") + Imports.waiting
            }
            if target.keychain == true, scan.imports.lacksKeychain { added.append(Imports.keychainModule) }
            let copy = Copy(file: scan.file, edits: edits, imports: added, table: table)
            result.files.append(Rewritten(path: scan.file.path, text: copy.text))
            result.report.notes += notes.sorted { $0.place < $1.place }.map { place, code, message in
                StepReport.Note(
                    code: code, file: scan.file.path, line: place.line, column: place.column, message: message)
            }
            result.report.classes += scan.blocks.compactMap { block in
                guard block.kind == .class, let name = block.objectiveCName, name != block.name else { return nil }
                return StepReport.NamedClass(name: name, type: "\(target.module).\(block.name)")
            }
            result.report.missingModules += scan.imports.all
                .filter { $0.module != target.module && !target.knows($0.module) }
                .map { StepReport.Use(name: $0.module, file: scan.file.path, line: $0.place.line) }
        }
        return result
    }
}

/// All that is read out of one file.
struct FileScan {
    let file: ParsedFile
    let blocks: [TypeBlock]
    let declared: Set<String>
    let words: WordFinder
    let names: LinuxNames
    let imports: Imports

    init(_ file: ParsedFile) {
        self.file = file
        let collector = DeclarationCollector(file)
        blocks = collector.blocks
        declared = collector.declared
        words = WordFinder(file)
        names = LinuxNames(file)
        imports = Imports(file)
    }
}
