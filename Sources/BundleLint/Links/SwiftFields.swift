// SwiftFields: the types that a Swift program's own types store and inherit, from its records for reflection.

import ELF

/// The records of the section `swift5_fieldmd` (`Reflection/Records.h` of the Swift project, "FieldDescriptor").
///
/// A record names a type by a mangled name. A control character in it stands for a reference to a descriptor. Numbers and
/// lengths are bounded. A program that is linked without reflection has no such section.
struct SwiftFields {
    private static let sizeLimit: UInt64 = 8 << 20
    private static let nameLimit: UInt64 = 128
    private static let relocation: (x86: UInt64, arm: UInt64) = (8, 1027)

    /// A use of a type: the type that has it as a property's type or as its superclass, and the used type.
    struct Use: Hashable {
        let owner: String
        let type: String
    }

    /// Returns the uses of some types by the types of all modules but those that define or wrap them.
    static func uses(of wanted: Set<String>, outside modules: Set<String>, in file: borrowing ELFFile) -> Set<Use> {
        guard let place = file.section("swift5_fieldmd"), let descriptors = SwiftDescriptors(file),
            place.size <= sizeLimit, let records = try? file.bytes(at: place.offset, place.size, "its fields")
        else { return [] }
        let pointers = pointers(of: file)
        var uses: Set<Use> = []
        var start = 0
        while start + 16 <= records.bytes.count, let count = records.single(start + 12),
            let size = records.half(start + 10)
        {
            let (here, first) = (start, start + 16)
            guard size >= 12, let length = Int(exactly: UInt64(count) * UInt64(size)),
                length <= records.bytes.count - first
            else { break }
            start = first + length
            func types(_ field: Int) -> [String] {
                guard let distance = records.number(field, Int32.self), distance != 0 else { return [] }
                return Self.types(
                    at: place.address &+ UInt64(field) &+ UInt64(bitPattern: Int64(distance)), descriptors, pointers,
                    file)
            }
            guard let owner = types(here).first, let module = owner.split(separator: ".").first,
                !modules.contains(String(module))
            else { continue }
            var used = types(here + 4)
            for field in stride(from: first, to: start, by: Int(size)) { used += types(field + 4) }
            for type in used where wanted.contains(type) { uses.insert(Use(owner: owner, type: type)) }
        }
        return uses
    }

    /// Returns the names of the types that a mangled name refers to.
    private static func types(
        at address: UInt64, _ descriptors: SwiftDescriptors, _ pointers: [UInt64: UInt64], _ file: borrowing ELFFile
    ) -> [String] {
        guard let text = descriptors.bytes(address, upTo: nameLimit, file) else { return [] }
        var names: [String] = []
        var place = 0
        while place < text.bytes.count, text.bytes[place] != 0 {
            let kind = text.bytes[place]
            if (1...2).contains(kind), let distance = text.number(place + 1, Int32.self) {
                let target = address &+ UInt64(place + 1) &+ UInt64(bitPattern: Int64(distance))
                // 1 refers to the descriptor, 2 to a pointer to it.
                let descriptor = kind == 1 ? target : pointers[target]
                if let name = descriptor.flatMap({ descriptors.name(of: $0, in: file) }) { names.append(name) }
            }
            place += kind <= 0x17 ? 5 : kind <= 0x1f ? 9 : 1
        }
        return names
    }

    /// Returns the pointers that the loader writes, by their addresses.
    private static func pointers(of file: borrowing ELFFile) -> [UInt64: UInt64] {
        guard let place = file.section(".rela.dyn"),
            let table = try? file.bytes(at: place.offset, place.size, "its relocations")
        else { return [:] }
        var pointers: [UInt64: UInt64] = [:]
        for start in stride(from: 0, to: table.bytes.count, by: 24) {
            guard let address = table.word(start), let kind = table.word(start + 8), let value = table.word(start + 16),
                kind == relocation.x86 || kind == relocation.arm
            else { continue }
            pointers[address] = value
        }
        return pointers
    }
}
