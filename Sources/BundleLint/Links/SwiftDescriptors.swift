// SwiftDescriptors: the names of a Swift program's types, by the addresses of their descriptors.

import ELF

/// The descriptors of types (ABI/Metadata.rst of the Swift project, "Nominal Type Descriptor"): each has a kind, a
/// parent and a name. Depth and lengths are bounded.
struct SwiftDescriptors {
    static let classKind: UInt32 = 16
    private static let depthLimit = 8
    private static let nameLimit: UInt64 = 256

    private let loads: [ELFSegment]

    /// Nil if the file has 32 bits or damaged segments.
    init?(_ file: borrowing ELFFile) {
        guard file.header.is64Bit, let segments = try? file.segments() else { return nil }
        loads = segments.filter { $0.type == ELFSegment.load }
    }

    /// Returns the name of the descriptor at an address, with the names around it.
    ///
    /// Nil if it is of another kind, or cannot be read.
    func name(of address: UInt64, kind wanted: UInt32? = nil, in file: borrowing ELFFile) -> String? {
        name(of: address, wanted, file, Self.depthLimit)
    }

    private func name(
        of address: UInt64, _ wanted: UInt32?, _ file: borrowing ELFFile, _ depth: Int
    ) -> String? {
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
            let around = self.name(of: address &+ 4 &+ UInt64(bitPattern: Int64(parent)), nil, file, depth - 1)
        else { return nil }
        return "\(around).\(own)"
    }

    /// Returns at most `count` bytes at an address; fewer at the end of the file.
    func bytes(_ address: UInt64, upTo count: UInt64, _ file: borrowing ELFFile) -> ELFPiece? {
        guard let offset = offset(of: address), offset < UInt64(file.size) else { return nil }
        return try? file.bytes(at: offset, min(count, UInt64(file.size) - offset), "a name")
    }

    private func piece(_ address: UInt64, _ count: UInt64, _ file: borrowing ELFFile) -> ELFPiece? {
        offset(of: address).flatMap { try? file.bytes(at: $0, count, "a type") }
    }

    private func text(_ address: UInt64, _ file: borrowing ELFFile) -> String? {
        bytes(address, upTo: Self.nameLimit, file)?.text(0)
    }

    private func offset(of address: UInt64) -> UInt64? {
        for segment in loads where address >= segment.address && address - segment.address < segment.fileSize {
            let (offset, isTooLarge) = segment.offset.addingReportingOverflow(address - segment.address)
            return isTooLarge ? nil : offset
        }
        return nil
    }
}
