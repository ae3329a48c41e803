// SelectorResolver: from `#selector(…)` to its Objective-C name.

struct SelectorResolver {
    let index: TypeIndex

    struct Resolved: Equatable {
        var name: String
        /// Whether no declaration was found, nor a name of the kit, and the base name may lack its colons.
        var isGuess = false
    }

    func resolve(_ use: SelectorUse) -> Resolved {
        let type = use.isOfUnknownType ? nil : use.type.map { index.resolve($0, in: use.scope) } ?? use.scope
        switch use.kind {
        case .method: return method(use, type)
        case .getter: return Resolved(name: property(use, type)?.getter ?? use.base)
        case .setter: return Resolved(name: property(use, type)?.setter ?? ObjectiveCName.setter(use.base))
        }
    }

    /// The methods of a block that a use may mean.
    static func methods(_ use: SelectorUse, in block: TypeBlock) -> [Method] {
        block.methods.filter { method in
            method.name == use.base && (use.labels ?? method.labels) == method.labels
                && (use.signature?.count ?? method.parameters.count) == method.parameters.count
        }
    }

    private func method(_ use: SelectorUse, _ type: [String]?) -> Resolved {
        let found = index.blocks(of: type) { !Self.methods(use, in: $0).isEmpty }.flatMap { Self.methods(use, in: $0) }
        let bySignature = found.first { $0.parameters.map(\.type.text) == use.signature }
        if let method = bySignature ?? found.first(where: \.traits.isExplicit) ?? found.first {
            // An override has the name of what it overrides.
            let named = found.first { $0.traits.objectiveCName != nil && $0.labels == method.labels }
            return Resolved(name: (method.traits.isOverride ? named ?? method : method).selector)
        }
        if let known = KitSelectors.name(of: use.base, labels: use.labels) { return Resolved(name: known) }
        guard let labels = use.labels ?? use.signature.map({ $0.map { _ in "" } }) else {
            return Resolved(name: use.base, isGuess: true)
        }
        return Resolved(name: ObjectiveCName.method(use.base, labels: labels))
    }

    private func property(_ use: SelectorUse, _ type: [String]?) -> Property? {
        index.blocks(of: type) { $0.properties.contains { $0.name == use.base } }
            .lazy.flatMap(\.properties).first { $0.name == use.base }
    }
}
