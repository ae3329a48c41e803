// ExposedMembers: which members of a target Objective-C would see.

struct ExposedMembers {
    private let index: TypeIndex
    private let uses: [String: [SelectorUse]]
    private let texts: Set<String>
    private let optionals: OptionalRequirements

    /// - Parameters:
    ///   - uses: every `#selector` of the target. Swift 3 exposed the methods that they name by itself.
    ///   - texts: selectors that are written as texts.
    ///   - optionals: of protocols: methods that fulfil one are found by its name.
    init(index: TypeIndex, uses: [SelectorUse], texts: Set<String>, optionals: OptionalRequirements) {
        self.index = index
        self.optionals = optionals
        self.uses = Dictionary(grouping: uses, by: \.base)
        self.texts = texts
    }

    /// One entry of a table, in order of the file.
    enum Member {
        case method(Method)
        case property(Property)
        /// A property that is observed under its key path: the class's own, or one that it inherits.
        case observed(Property)
        case initializer(MemberTraits)

        var traits: MemberTraits {
            switch self {
            case .method(let method): method.traits
            case .property(let property), .observed(let property): property.traits
            case .initializer(let traits): traits
            }
        }

        var selector: String {
            switch self {
            case .method(let method): method.selector
            case .property(let property): property.getter
            case .observed(let property): "@" + property.name
            case .initializer: "init"
            }
        }

        var obstacle: String? {
            switch self {
            case .method(let method): method.firstObstacle
            case .property(let property): property.traits.ofType ? "it is a property of the type" : nil
            case .observed, .initializer: nil
            }
        }
    }

    func members(of block: TypeBlock) -> [Member] {
        let exposesAll = index.exposesAll(block)
        // Methods of other types may have the name of a selector by chance.
        let isOwnClass = index.isDeclaredClass(block)
        let methods = block.methods.compactMap { method -> Member? in
            let fulfilled = isOwnClass ? optionals.selector(of: method) : nil
            guard isExposed(method.traits, exposesAll) || isOwnClass && isNamed(method) || fulfilled != nil else {
                return nil
            }
            var method = method
            method.traits.objectiveCName = method.traits.objectiveCName ?? fulfilled
            return .method(method)
        }
        let properties = block.properties.filter { property in
            if isExposed(property.traits, exposesAll) { return true }
            guard isOwnClass else { return false }
            return uses[property.name]?.contains { $0.kind != .method } == true || optionals.has(property)
        }
        // Of a class with a superclass alone: a controller may be made by its name.
        let initializers = index.hasSuperclass(block) ? block.initializers.map(Member.initializer) : []
        // A key path of a subclass differs from that of its superclass.
        let inherited = block.kind == .class ? index.superclassBlocks(of: block).flatMap(observed) : []
        let paths = (observed(in: block) + inherited.filter { !$0.traits.isPrivate }).map(Member.observed)
        let all = methods + properties.map(Member.property) + paths + initializers
        return all.filter { !$0.traits.isUnavailable }.sorted { $0.traits.place < $1.traits.place }
    }

    /// The properties of a block whose changes their own code reports, with the step's edits.
    func reported(in block: TypeBlock) -> [Property] {
        guard index.mayBeClass(block), index.obstacle(block) == nil, !Self.isOfDefaults(block) else { return [] }
        return block.properties.filter { !$0.reports.isEmpty && isExposed($0.traits, index.exposesAll(block)) }
    }

    /// Defaults report the changes of their keys by themselves: a property of a key's name need not be dynamic.
    private func observed(in block: TypeBlock) -> [Property] {
        guard Self.isOfDefaults(block) else { return reported(in: block) }
        return block.properties.filter { $0.traits.isExplicit && !$0.traits.ofType }
    }

    private static func isOfDefaults(_ block: TypeBlock) -> Bool { block.path == ["UserDefaults"] }

    private func isExposed(_ traits: MemberTraits, _ exposesAll: Bool) -> Bool {
        traits.isExplicit || exposesAll && !traits.isPrivate && !traits.isNonObjectiveC && !traits.isOverride
    }

    /// Whether a selector of the target may mean a method.
    func isNamed(_ method: Method) -> Bool {
        let isUsed =
            uses[method.name]?.contains { $0.kind == .method && ($0.labels ?? method.labels) == method.labels } ?? false
        return isUsed || texts.contains(method.selector)
    }
}
