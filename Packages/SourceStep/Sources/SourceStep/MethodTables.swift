// MethodTables: the tables from Objective-C names to methods, for each class of each file.

struct MethodTables {
    let index: TypeIndex
    let exposed: ExposedMembers
    /// How many tables a class has already, by its name.
    private var counts: [String: Int] = [:]
    private(set) var notes: [(place: Place, message: String)] = []

    init(index: TypeIndex, exposed: ExposedMembers) {
        self.index = index
        self.exposed = exposed
    }

    /// The text for the end of a file; nil if none of its classes has members for a table. Files come in the target's
    /// order: the numbers of tables follow it.
    mutating func text(for blocks: [TypeBlock]) -> String? {
        notes = []
        var order: [String] = []
        var members: [String: [ExposedMembers.Member]] = [:]
        var paths: [String: [String]] = [:]
        for block in blocks where index.mayBeClass(block) {
            let found = callable(block)
            guard !found.isEmpty else { continue }
            if members[block.name] == nil { order.append(block.name) }
            members[block.name, default: []] += found
            paths[block.name] = block.path
        }
        let text = order.map { name in
            let number = counts[name, default: 0]
            counts[name] = number + 1
            return Self.table(name, number, members[name] ?? []) { written in qualified(written, in: paths[name] ?? [])
            }
        }
        return text.isEmpty ? nil : text.joined()
    }

    /// The members that get an entry; notes for those that should and cannot.
    private mutating func callable(_ block: TypeBlock) -> [ExposedMembers.Member] {
        let all = exposed.members(of: block)
        if let obstacle = index.obstacle(block) {
            if all.contains(where: \.traits.isExplicit) {
                notes.append(
                    (block.place, "no caller can use methods of \(block.name) by their selectors: \(obstacle)"))
            }
            return []
        }
        // Of two with one name Objective-C could see only the explicit one.
        let explicit = Set(all.filter(\.traits.isExplicit).map(\.selector))
        var taken: Set<String> = []
        return all.filter { member in
            if let obstacle = member.obstacle {
                if member.traits.isExplicit, isExpected(member) {
                    notes.append(
                        (member.traits.place, "no caller can use \(member.selector) by its selector: \(obstacle)"))
                }
                return false
            }
            guard member.traits.isExplicit || !explicit.contains(member.selector) else { return false }
            return taken.insert(([member.selector] + member.traits.conditions).joined(separator: "\n")).inserted
        }.map { member in
            guard case .method(var method) = member, index.isOverridden(method) else { return member }
            // The override may use what this body does not.
            for place in method.parameters.indices { method.parameters[place].isUnused = false }
            return .method(method)
        }
    }

    /// Members of the type itself mostly serve sources in Objective-C, which do not exist here.
    private func isExpected(_ member: ExposedMembers.Member) -> Bool {
        guard member.traits.ofType else { return true }
        if case .method(let method) = member { return exposed.isNamed(method) }
        return false
    }

    /// A type as the end of the file has to write it: a name that only the types around know gets their names in front.
    private func qualified(_ type: WrittenType, in path: [String]) -> String {
        var text = Array(type.text.utf8)
        for name in type.names.reversed() {
            let full = index.resolve([name.name], in: path)
            guard full.count > 1, full.count <= path.count else { continue }
            text.insert(contentsOf: (full.dropLast().joined(separator: ".") + ".").utf8, at: name.offset)
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Text

    private static func table(
        _ name: String, _ number: Int, _ members: [ExposedMembers.Member], _ type: (WrittenType) -> String
    ) -> String {
        let joined = name.split(separator: ".").joined(separator: "_")
        var groups: [(conditions: [String], entries: [String])] = []
        for member in members {
            let entries = TableEntry.lines(of: member, class: name, type: type)
            if let place = groups.firstIndex(where: { $0.conditions == member.traits.conditions }) {
                groups[place].entries += entries
            } else {
                groups.append((member.traits.conditions, entries))
            }
        }
        var extensions = ""
        var sums = ""
        for (place, group) in groups.enumerated() {
            let property = "__methods_\(joined)__\(number)\(place == 0 ? "" : "_\(place)")"
            let condition = group.conditions.joined(separator: " && ")
            let (opening, closing) = condition.isEmpty ? ("", "") : ("#if \(condition)\n", "#endif\n")
            extensions += """
                \(opening)extension \(name) {
                    nonisolated fileprivate static var \(property): [_Method] {
                        [
                \(group.entries.map { "            \($0),\n" }.joined())        ]
                    }
                }
                \(closing)
                """
            sums += "\(opening)        methods += \(name).\(property)\n\(closing)"
        }
        return extensions + """
            nonisolated final class __Methods_\(joined)\(number == 0 ? "" : "__\(number)"): _MethodTable {
                nonisolated static var owner: AnyClass? { (\(name).self as Any) as? AnyClass }
                nonisolated static var methods: [_Method] {
                    var methods: [_Method] = []
            \(sums)        return methods
                }
            }

            """
    }
}
