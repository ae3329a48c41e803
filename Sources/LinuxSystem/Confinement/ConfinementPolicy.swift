// ConfinementPolicy: a confinement in the form that exthost-init reads and applies (policy.h there).

/// The whole policy of one launch, as records of three strings.
struct ConfinementPolicy {
    private(set) var bytes: [UInt8] = []
    /// The descriptors that the init inherits, each under the number that the policy names.
    private(set) var placements: [SpawnAttributes.Placement] = []
    /// The files of these descriptors, so that they stay open as long as this value.
    private var files: [ViewFile] = []

    /// Encodes the policy. The files of `confinement` must stay open until the child runs.
    ///
    /// - Parameter number: the last number that is taken in the child; the files get free ones above it.
    /// - Throws: `invalid` for a path that holds a zero byte.
    init(_ confinement: Confinement, attributes: SpawnAttributes, after number: Int32) throws(SpawnError) {
        var last = number
        func place(_ file: ViewFile) -> String {
            last = attributes.freeChildNumber(from: last + 1)
            placements.append(.init(parent: file.descriptor.raw, child: last))
            files.append(file)
            return "\(last)"
        }
        try append("exthost-policy-1")
        let layers = confinement.layers
        if layers.namespaces { try append("layer", "namespaces", "") }
        if layers.landlock > 0 { try append("layer", "landlock", "\(layers.landlock)") }
        if layers.seccomp { try append("layer", "seccomp", "") }
        if confinement.network.contains(.client) { try append("network", "client", "") }
        if confinement.network.contains(.server) { try append("network", "server", "") }
        if confinement.teachesPaths { try append("teach", "paths", "") }
        if let directory = attributes.workingDirectory, directory.hasPrefix("/") {
            try append("directory", directory, "")
        }
        for entry in Self.entries(of: confinement, attributes) {
            switch entry {
            case .system(let path): try append("read", path, "")
            case .read(let file): try append("read", file.path, place(file))
            case .write(let file): try append("write", file.path, place(file))
            case .place(let path, let source): try append("place", path, place(source))
            case .memory(let path, let size): try append("memory", path, "\(size)")
            case .device(let path): try append("device", path, "")
            case .text(let path, let text): try append("text", path, text)
            case .link(let path, let target): try append("link", path, target)
            }
        }
    }

    private mutating func append(_ strings: String...) throws(SpawnError) {
        for string in strings {
            guard !string.hasZeroByte else {
                throw .invalid("a path holds a zero byte: \(string.debugDescription)")
            }
            bytes += string.utf8
            bytes.append(0)
        }
    }

    /// Returns the entries, folders before what lies in them: a mount covers what was there before.
    private static func entries(of confinement: Confinement, _ attributes: SpawnAttributes) -> [PolicyEntry] {
        var entries = SystemView.entries(of: confinement)
        entries += LibraryFolders.folders(
            for: attributes, in: confinement.readable, outside: confinement.containers
        ).map { .read($0) }
        entries += confinement.readable.map { .read($0) }
        entries += confinement.writable.map { .write($0) }
        if confinement.layers.namespaces {
            entries += SystemView.names(home: confinement.home, of: attributes.identity)
            entries += confinement.links.map { .link($0.key, to: $0.value) }
            entries.append(temporary(confinement, beside: entries.map(\.path)))
        } else if let folder = confinement.temporaryFolder {
            entries.append(.write(folder))
        }
        // The last entry for a path counts: a file that may be written may also be read.
        var byPath: [String: PolicyEntry] = [:]
        for entry in entries { byPath[entry.path] = entry }
        entries = Array(byPath.values)
        let orders = entries.map { order(of: $0.path) }
        return entries.indices.sorted { orders[$0].lexicographicallyPrecedes(orders[$1]) }.map { entries[$0] }
    }

    /// Returns bytes that sort as the names in the path do, one after the other: their ends come before every other
    /// byte.
    private static func order(of path: String) -> [UInt8] {
        var order: [UInt8] = []
        order.reserveCapacity(path.utf8.count)
        for byte in path.utf8 {
            let isEnd = byte == UInt8(ascii: "/")
            if !isEnd || order.last != 1 { order.append(isEnd ? 1 : byte) }
        }
        return order
    }

    /// Returns the entry of `/tmp`.
    ///
    /// If other files must be visible below `/tmp`, as in tests, their mount points must not be made in the program's
    /// own folder.
    private static func temporary(_ confinement: Confinement, beside paths: [String]) -> PolicyEntry {
        guard let folder = confinement.temporaryFolder, !paths.contains(where: { $0.hasPrefix("/tmp/") }) else {
            return .memory("/tmp", bytes: confinement.temporaryBytes)
        }
        return .place("/tmp", source: folder)
    }
}
