// SwiftClasses: the classes of a Swift program, from the records by which its runtime finds them by name.

import ExtensionProtocol

/// The classes listed in the section `swift5_type_metadata` (ABI/Metadata.rst of the Swift project, "Nominal Type
/// Descriptor").
///
/// The section has relative pointers to descriptors, each with a kind, a parent and a name. Entries, depth and lengths
/// are bounded.
struct SwiftClasses {
    /// The names `Module.Class` of all classes of one module; nested ones include the types around them.
    let names: Set<String>

    private static let entriesLimit: UInt64 = 128 << 10
    private static let depthLimit = 8
    private static let nameLimit: UInt64 = 256
    private static let classKind: UInt32 = 16

    /// Reads the classes. Nil if the file has 32 bits, no such section, or a damaged one: then nothing is known.
    init?(_ file: borrowing ELFFile, module: String) {
        guard file.header.is64Bit, let place = Self.section("swift5_type_metadata", file),
            let segments = try? file.segments(), place.size <= Self.entriesLimit * 4,
            let records = try? file.bytes(at: place.offset, place.size, "its types")
        else { return nil }
        let reader = DescriptorReader(loads: segments.filter { $0.type == ELFSegment.load })
        var names: Set<String> = []
        for start in stride(from: 0, to: records.bytes.count, by: 4) {
            // The lowest bits are the kind of reference; 0 is a direct one.
            guard let distance = records.number(start, Int32.self), distance & 3 == 0, distance != 0 else { continue }
            let address = place.address &+ UInt64(start) &+ UInt64(bitPattern: Int64(distance))
            guard let name = reader.name(of: address, kind: Self.classKind, in: file, depth: Self.depthLimit),
                name.hasPrefix(module + ".")
            else { continue }
            names.insert(name)
        }
        self.names = names
    }

    /// The maximum number of sections; compilers make some dozens.
    private static let sectionsLimit = 4096

    /// Returns the place of a section, from the section headers (elf(5)).
    private static func section(_ name: String, _ file: borrowing ELFFile) -> (
        address: UInt64, offset: UInt64, size: UInt64
    )? {
        let width = 64
        guard let head = try? file.bytes(at: 0, 64, "its header"), let table = head.word(40), table > 0,
            head.half(58) == UInt16(width), let count = head.half(60), count <= sectionsLimit,
            let namesIndex = head.half(62),
            namesIndex < count,
            let entries = try? file.bytes(at: table, UInt64(count) * UInt64(width), "its sections")
        else { return nil }
        func place(_ index: Int) -> (address: UInt64, offset: UInt64, size: UInt64)? {
            let start = index * width
            guard let address = entries.word(start + 16), let offset = entries.word(start + 24),
                let size = entries.word(start + 32)
            else { return nil }
            return (address, offset, size)
        }
        guard let strings = place(Int(namesIndex)),
            let names = try? file.bytes(at: strings.offset, strings.size, "its names")
        else { return nil }
        for index in 0..<Int(count) {
            guard let offset = entries.single(index * width), names.has(name, at: Int(offset)) else { continue }
            return place(index)
        }
        return nil
    }

    private struct DescriptorReader {
        let loads: [ELFSegment]

        /// Returns the name of the descriptor at an address, with the names around it.
        ///
        /// Nil if it is of another kind, or cannot be read.
        func name(of address: UInt64, kind wanted: UInt32?, in file: borrowing ELFFile, depth: Int) -> String? {
            guard depth > 0, let head = piece(address, 12, file), let flags = head.single(0),
                let parent = head.number(4, Int32.self), let name = head.number(8, Int32.self)
            else { return nil }
            let kind = flags & 0x1F
            guard wanted == nil || kind == wanted else { return nil }
            // An extension or a private context has no name here, and the runtime finds no class in it by name either.
            guard kind == 0 || kind >= 16, let own = text(address &+ 8 &+ UInt64(bitPattern: Int64(name)), file) else {
                return nil
            }
            guard kind != 0 else { return own }
            guard parent & 1 == 0, parent != 0,
                let around = self.name(
                    of: address &+ 4 &+ UInt64(bitPattern: Int64(parent)), kind: nil, in: file, depth: depth - 1)
            else { return nil }
            return "\(around).\(own)"
        }

        private func piece(_ address: UInt64, _ count: UInt64, _ file: borrowing ELFFile) -> ELFPiece? {
            offset(of: address).flatMap { try? file.bytes(at: $0, count, "a type") }
        }

        private func text(_ address: UInt64, _ file: borrowing ELFFile) -> String? {
            guard let offset = offset(of: address), offset < UInt64(file.size) else { return nil }
            let count = min(SwiftClasses.nameLimit, UInt64(file.size) - offset)
            return (try? file.bytes(at: offset, count, "a name"))?.text(0)
        }

        private func offset(of address: UInt64) -> UInt64? {
            for segment in loads where address >= segment.address && address - segment.address < segment.fileSize {
                let (offset, isTooLarge) = segment.offset.addingReportingOverflow(address - segment.address)
                return isTooLarge ? nil : offset
            }
            return nil
        }
    }
}
