// SwiftClasses: the classes of a Swift program, from the records by which its runtime finds them by name.

import ELF
import ExtensionProtocol

/// The classes listed in the section `swift5_type_metadata` (ABI/Metadata.rst of the Swift project, "Nominal Type
/// Descriptor").
///
/// The section has relative pointers to descriptors. The number of entries is bounded.
struct SwiftClasses {
    /// The names `Module.Class` of all classes of one module; nested ones include the types around them.
    let names: Set<String>

    private static let entriesLimit: UInt64 = 128 << 10

    /// Reads the classes. Nil if the file has 32 bits, no such section, or a damaged one: then nothing is known.
    init?(_ file: borrowing ELFFile, module: String) {
        guard let place = file.section("swift5_type_metadata"), let descriptors = SwiftDescriptors(file),
            place.size <= Self.entriesLimit * 4,
            let records = try? file.bytes(at: place.offset, place.size, "its types")
        else { return nil }
        var names: Set<String> = []
        for start in stride(from: 0, to: records.bytes.count, by: 4) {
            // The lowest bits are the kind of reference; 0 is a direct one.
            guard let distance = records.number(start, Int32.self), distance & 3 == 0, distance != 0 else { continue }
            let address = place.address &+ UInt64(start) &+ UInt64(bitPattern: Int64(distance))
            guard let name = descriptors.name(of: address, kind: SwiftDescriptors.classKind, in: file),
                name.hasPrefix(module + ".")
            else { continue }
            names.insert(name)
        }
        self.names = names
    }
}
