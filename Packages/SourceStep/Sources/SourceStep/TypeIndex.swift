// TypeIndex: the types of a target, from all of its files.

struct TypeIndex {
    private let blocks: [String: [TypeBlock]]
    /// The full names of all methods that are overrides.
    private let overridden: Set<String>

    init(_ all: [TypeBlock]) {
        blocks = Dictionary(grouping: all, by: \.name)
        overridden = Set(all.flatMap(\.methods).filter(\.traits.isOverride).map(\.fullName))
    }

    /// Whether the target may have an override of a method: of any class, because superclasses may be unknown here.
    func isOverridden(_ method: Method) -> Bool { overridden.contains(method.fullName) }

    func declares(_ path: [String]) -> Bool { declaration(path.joined(separator: ".")) != nil }

    /// The block that declares a type; nil for a type of another module.
    private func declaration(_ name: String) -> TypeBlock? { blocks[name]?.first { $0.kind != .extension } }

    /// A type as a scope means it: the innermost that has the name.
    func resolve(_ path: [String], in scope: [String]) -> [String] {
        for depth in stride(from: scope.count, through: 0, by: -1) {
            let candidate = scope.prefix(depth) + path
            if declares(Array(candidate)) { return Array(candidate) }
        }
        return path
    }

    /// A type, its superclasses and protocols as far as the target declares or extends them.
    private func ancestry(_ path: [String]) -> [TypeBlock] {
        var found: [TypeBlock] = []
        var queue = [path]
        var seen: Set<[String]> = []
        while let next = queue.first {
            queue.removeFirst()
            guard seen.insert(next).inserted else { continue }
            let own = blocks[next.joined(separator: ".")] ?? []
            found += own
            for name in own.flatMap(\.inherited) {
                queue.append(resolve(name.split(separator: ".").map(String.init), in: Array(next.dropLast())))
            }
        }
        return found
    }

    /// The blocks in which a selector's name is looked for: the nearest ones that have it.
    func blocks(of type: [String]?, having isWanted: (TypeBlock) -> Bool) -> [TypeBlock] {
        if let type {
            let near = ancestry(type).filter(isWanted)
            if !near.isEmpty { return near }
        }
        return blocks.values.flatMap(\.self).filter(isWanted).sorted { ($0.name, $0.place) < ($1.name, $1.place) }
    }

    /// The blocks of the superclasses of a class, as far as the target declares or extends them.
    func superclassBlocks(of block: TypeBlock) -> [TypeBlock] {
        ancestry(block.path).filter { $0.name != block.name && mayBeClass($0) }
    }

    /// Whether all members of a block are exposed: by its own words, its declaration's, or a superclass's.
    func exposesAll(_ block: TypeBlock) -> Bool {
        if block.exposesAll { return true }
        return ancestry(block.path).contains { $0.kind == .class && $0.exposesAll }
    }

    /// Why no table can be made for a block; nil if one can.
    func obstacle(_ block: TypeBlock) -> String? {
        if let own = block.obstacle { return own }
        guard block.kind == .extension else { return nil }
        let path = resolve(block.path, in: [])
        for depth in 1...max(1, path.count) {
            if let outer = declaration(path.prefix(depth).joined(separator: "."))?.obstacle { return outer }
        }
        return nil
    }

    /// Whether a block belongs to a class of the target that inherits from another, as far as can be told.
    func hasSuperclass(_ block: TypeBlock) -> Bool {
        isDeclaredClass(block) && declaration(block.name)?.inherited.isEmpty == false
    }

    /// Whether a block belongs to a class that the target declares.
    func isDeclaredClass(_ block: TypeBlock) -> Bool {
        block.kind == .class || block.kind == .extension && declaration(block.name)?.kind == .class
    }

    /// Whether a block belongs to a class, or to a type of another module, which may be one.
    func mayBeClass(_ block: TypeBlock) -> Bool {
        switch block.kind {
        case .class: true
        case .extension: declaration(block.name).map { $0.kind == .class } ?? true
        case .protocol, .value: false
        }
    }
}
