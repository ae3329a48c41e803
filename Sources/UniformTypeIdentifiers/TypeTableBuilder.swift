// TypeTableBuilder: the construction of a TypeTable's places, acyclic edges and bits from declarations.

/// A builder that is used once; its functions are called in their order here.
struct TypeTableBuilder {
    private(set) var declarations: [TypeDeclaration] = []
    private(set) var keys: [String] = []
    private(set) var places: [String: Int32] = [:]
    private(set) var edges: [[Int32]] = []
    private(set) var problems: [String] = []
    /// The places in an order in which every type follows its supertypes.
    private var order: [Int32] = []

    init(capacity: Int) {
        declarations.reserveCapacity(capacity)
        keys.reserveCapacity(capacity)
        places.reserveCapacity(capacity)
    }

    /// Adds a declaration. The first one of an identifier counts.
    mutating func declare(_ declaration: TypeDeclaration) {
        guard places[declaration.key] == nil else { return }
        guard keys.count < TypeTable.limit else {
            problems.append(
                "\(declaration.identifier): more than \(TypeTable.limit) types are declared; this one is ignored")
            return
        }
        places[declaration.key] = Int32(keys.count)
        keys.append(declaration.key)
        declarations.append(declaration)
    }

    /// Finds the place of every named supertype, and removes edges that would close a cycle.
    mutating func connect() {
        edges = Array(repeating: [], count: keys.count)
        for place in declarations.indices {
            for supertype in declarations[place].supertypes {
                if let above = mention(supertype), above != place, !edges[place].contains(above) {
                    edges[place].append(above)
                }
            }
        }
        breakCircles()
    }

    /// Returns the place of a supertype. An undeclared one gets a place behind the declared ones.
    ///
    /// The name of a dynamic type gives its supertype.
    private mutating func mention(_ key: String) -> Int32? {
        if let place = places[key] { return place }
        guard keys.count < TypeTable.limit else {
            problems.append(
                "\(key): more than \(TypeTable.limit) types are named; conformances to this one are ignored")
            return nil
        }
        let place = Int32(keys.count)
        places[key] = place
        keys.append(key)
        edges.append([])
        // The name inside a name is shorter, so the recursion ends.
        if let supertype = DynamicType(identifier: key)?.supertype, let above = mention(supertype), above != place {
            edges[Int(place)].append(above)
        }
        return place
    }

    /// Removes the edges that close a cycle, without recursion: a chain may be as long as the table.
    private mutating func breakCircles() {
        enum Mark { case new, open, done }
        var marks = Array(repeating: Mark.new, count: keys.count)
        order.reserveCapacity(keys.count)
        for start in keys.indices where marks[start] == .new {
            var stack: [(place: Int, next: Int)] = [(start, 0)]
            marks[start] = .open
            while let (place, next) = stack.last {
                guard next < edges[place].count else {
                    marks[place] = .done
                    order.append(Int32(place))
                    stack.removeLast()
                    continue
                }
                let above = Int(edges[place][next])
                switch marks[above] {
                case .done: stack[stack.count - 1].next += 1
                case .new:
                    stack[stack.count - 1].next += 1
                    marks[above] = .open
                    stack.append((above, 0))
                case .open:
                    problems.append(
                        "\(keys[place]): conforms to \(keys[above]), which conforms to it; this conformance is ignored")
                    edges[place].remove(at: next)
                }
            }
        }
    }

    /// Returns a row of bits for each place: its own bit, and the rows of its supertypes.
    func closure() -> [UInt64] {
        let length = (keys.count + 63) / 64
        var rows = [UInt64](repeating: 0, count: keys.count * length)
        rows.withUnsafeMutableBufferPointer { rows in
            for place in order {
                let row = Int(place) * length
                rows[row + Int(place >> 6)] |= 1 << UInt64(place & 63)
                for above in edges[Int(place)] {
                    let other = Int(above) * length
                    for word in 0..<length { rows[row + word] |= rows[other + word] }
                }
            }
        }
        return rows
    }
}
