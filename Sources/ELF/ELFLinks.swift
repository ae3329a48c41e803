// ELFLinks: an ELF file's requests to the loader: libraries, folders and symbols; also the kits' notes in it.

/// The links in the dynamic section (elf(5), ld.so(8)); all empty for a statically linked program.
package struct ELFLinks {
    /// The `DT_NEEDED` entries, in order.
    package private(set) var needed: [String] = []
    /// The `DT_SONAME` entry.
    package private(set) var name: String?
    /// The folders of `DT_RUNPATH`, as written, which apply to this file's own needs.
    package private(set) var runPath: [String]?
    /// The folders of `DT_RPATH`, which also apply to the libraries that it loads. `DT_RUNPATH` overrides them.
    package private(set) var inheritedRunPath: [String]?
    /// The symbols that other files have to define.
    package private(set) var imports: Set<String> = []
    /// Whether it is a position-independent program (`DF_1_PIE`), which dlopen(3) refuses.
    package private(set) var isProgram = false
    /// The names in the notes of the owner `exthost`, which mark code that is not for extensions.
    package private(set) var hostOnly: [String] = []

    private static let entriesLimit: UInt64 = 16 << 10
    private static let notesLimit: UInt64 = 1 << 20

    private init() {}

    /// The links of a file that is not read.
    package static let none = ELFLinks()

    package init(_ file: borrowing ELFFile) throws(ELFDamage) {
        let segments = try file.segments()
        for segment in segments where segment.type == ELFSegment.note { try readNotes(file, segment) }
        guard let dynamic = segments.first(where: { $0.type == ELFSegment.dynamic }) else { return }
        var section = DynamicSection(segments.filter { $0.type == ELFSegment.load })
        let width: UInt64 = file.header.is64Bit ? 16 : 8
        guard dynamic.fileSize <= width * Self.entriesLimit else { throw ELFDamage("its dynamic section is too long") }
        let entries = try file.bytes(at: dynamic.offset, dynamic.fileSize, "its dynamic section")
        for start in stride(from: 0, to: entries.bytes.count, by: Int(width)) {
            guard let tag = entries.word(start), let value = entries.word(start + Int(width) / 2), tag != 0 else {
                break
            }
            section.add(tag, value)
        }
        isProgram = section.flags & 0x0800_0000 != 0
        guard let table = section.strings else {
            // Without strings no name can be resolved.
            guard section.needed.isEmpty else { throw ELFDamage("its dynamic section has no strings") }
            return
        }
        var names = Names(
            try file.bytes(at: try section.offset(of: table.address, "strings"), table.size, "its strings"))
        for offset in section.needed { needed.append(try names.text(offset, "a library")) }
        if let offset = section.name { name = try names.text(offset, "the library itself") }
        if let offset = section.runPath { runPath = Self.folders(try names.text(offset, "a folder")) }
        if let offset = section.inheritedRunPath { inheritedRunPath = Self.folders(try names.text(offset, "a folder")) }
        try readImports(file, section, &names)
    }

    /// The reader of names. A hostile file has one long name a million times.
    private struct Names {
        private let strings: ELFPiece
        /// The bytes of further names: a linker writes each name once, and shares ends of names at most.
        private var room: Int

        init(_ strings: ELFPiece) {
            self.strings = strings
            room = 2 * strings.bytes.count + (1 << 20)
        }

        mutating func text(_ offset: UInt64, _ what: String) throws(ELFDamage) -> String {
            guard let text = strings.text(offset) else {
                throw ELFDamage("the name of \(what) is outside of its strings")
            }
            room -= text.utf8.count
            guard room >= 0 else { throw ELFDamage("its names are longer than its strings") }
            return text
        }
    }

    private static func folders(_ text: String) -> [String] { text.split(separator: ":").map(String.init) }

    // MARK: Symbols

    private mutating func readImports(
        _ file: borrowing ELFFile, _ section: DynamicSection, _ names: inout Names
    ) throws(ELFDamage) {
        guard let address = section.symbols else { return }
        let width = file.header.is64Bit ? 24 : 16
        guard let count = try Self.symbolCount(file, section, width: UInt64(width)), count > 0 else { return }
        guard count <= UInt64(ELFFile.pieceLimit / width) else { throw ELFDamage("it would have \(count) symbols") }
        let table = try file.bytes(
            at: try section.offset(of: address, "symbols"), UInt64(width) * count, "its table of symbols")
        for start in stride(from: width, to: table.bytes.count, by: width) {
            // An import has no section in which it is defined.
            guard let name = table.single(start), table.half(start + (file.header.is64Bit ? 6 : 14)) == 0, name != 0
            else {
                continue
            }
            imports.insert(try names.text(UInt64(name), "a symbol"))
        }
    }

    /// Returns a minimum of the number of symbols, which covers all imports: no field of the file has the number.
    private static func symbolCount(
        _ file: borrowing ELFFile, _ section: DynamicSection, width: UInt64
    ) throws(ELFDamage) -> UInt64? {
        if let hash = section.hash {
            let table = try file.bytes(at: try section.offset(of: hash, "hash table"), 8, "its hash table")
            return table.single(4).map(UInt64.init)
        }
        if let hash = section.gnuHash {
            // Only exported symbols are hashed, and they are last.
            let table = try file.bytes(at: try section.offset(of: hash, "hash table"), 16, "its hash table")
            guard let buckets = table.single(0), let first = table.single(4), let words = table.single(8) else {
                return nil
            }
            let place = try section.offset(of: hash, "hash table") + 16 + UInt64(words) * (file.header.is64Bit ? 8 : 4)
            let heads = try file.bytes(at: place, UInt64(buckets) * 4, "its hash table")
            if heads.bytes.contains(where: { $0 != 0 }) { return UInt64(first) }
        }
        // No symbol is hashed, so the next table shows where this one ends.
        return section.spaceBehindSymbols.map { $0 / width }
    }

    // MARK: Notes

    /// Reads the notes of a segment. Damage in an unread segment does not matter, because no loader depends on it.
    private mutating func readNotes(_ file: borrowing ELFFile, _ segment: ELFSegment) throws(ELFDamage) {
        guard segment.fileSize <= Self.notesLimit else { return }
        let notes = try file.bytes(at: segment.offset, segment.fileSize, "its notes")
        let step = segment.alignment == 8 ? 8 : 4
        func padded(_ size: UInt32) -> Int { (Int(size) + step - 1) / step * step }
        var place = 0
        while let nameSize = notes.single(place), let textSize = notes.single(place + 4),
            let type = notes.single(place + 8)
        {
            let text = place + 12 + padded(nameSize)
            if type == 1, nameSize == 8, notes.text(UInt64(place + 12)) == "exthost", textSize > 0, textSize <= 64,
                let named = notes.text(UInt64(text))
            {
                hostOnly.append(named)
            }
            place = text + padded(textSize)
        }
    }
}

/// The entries of a dynamic section that are read.
private struct DynamicSection {
    private let loads: [ELFSegment]
    private(set) var needed: [UInt64] = []
    private(set) var name: UInt64?
    private(set) var runPath: UInt64?
    private(set) var inheritedRunPath: UInt64?
    private(set) var symbols: UInt64?
    private(set) var hash: UInt64?
    private(set) var gnuHash: UInt64?
    /// The value of `DT_FLAGS_1`.
    private(set) var flags: UInt64 = 0
    private var stringAddress: UInt64?
    private var stringSize: UInt64?
    /// The addresses at which other tables begin.
    private var tables: [UInt64] = []

    init(_ loads: [ELFSegment]) { self.loads = loads }

    var strings: (address: UInt64, size: UInt64)? {
        guard let stringAddress, let stringSize else { return nil }
        return (stringAddress, stringSize)
    }

    mutating func add(_ tag: UInt64, _ value: UInt64) {
        switch tag {
        case 1: needed.append(value)
        case 4: hash = value
        case 5: stringAddress = value
        case 6: symbols = value
        case 10: stringSize = value
        case 14: name = value
        case 15: inheritedRunPath = value
        case 29: runPath = value
        case 0x6fff_fef5: gnuHash = value
        case 0x6fff_fffb: flags = value
        default: break
        }
        // These are addresses of tables: DT_HASH, DT_STRTAB, DT_RELA, DT_REL, DT_JMPREL, DT_GNU_HASH, DT_VERSYM,
        // DT_VERDEF, DT_VERNEED.
        if [4, 5, 7, 17, 23, 0x6fff_fef5, 0x6fff_fff0, 0x6fff_fffc, 0x6fff_fffe].contains(tag) { tables.append(value) }
    }

    /// The number of bytes between the table of symbols and the next table.
    var spaceBehindSymbols: UInt64? {
        guard let symbols else { return nil }
        return tables.filter { $0 > symbols }.min().map { $0 - symbols }
    }

    /// Returns the offset in the file of an address.
    func offset(of address: UInt64, _ what: String) throws(ELFDamage) -> UInt64 {
        for load in loads where load.address <= address && address - load.address < load.fileSize {
            let (offset, isTooLarge) = load.offset.addingReportingOverflow(address - load.address)
            if !isTooLarge { return offset }
        }
        throw ELFDamage("the address of its \(what) is in no segment")
    }
}
