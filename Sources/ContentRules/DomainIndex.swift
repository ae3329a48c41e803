// DomainIndex: the conditions that a page meets.

/// Numbers of conditions, grouped by a key.
struct Groups: Sendable {
    private var starts: [Int32] = [0]
    private var members: [Int32] = []

    /// - Parameters:
    ///   - count: the number of keys.
    ///   - pairs: keys with their members. The members of a key keep their order.
    init(count: Int, _ pairs: [(key: Int32, member: Int32)]) {
        starts = Array(repeating: 0, count: count + 1)
        for pair in pairs { starts[Int(pair.key) + 1] += 1 }
        for index in 1..<(count + 1) { starts[index] += starts[index - 1] }
        members = Array(repeating: 0, count: pairs.count)
        var places = starts
        for pair in pairs {
            members[Int(places[Int(pair.key)])] = pair.member
            places[Int(pair.key)] += 1
        }
    }

    subscript(key: Int32) -> ArraySlice<Int32> { members[Int(starts[Int(key)])..<Int(starts[Int(key) + 1])] }

    var size: Int { (starts.count + members.count) * 4 }
}

/// The domains of `if-domain` and `unless-domain`.
struct DomainIndex: Sendable {
    private let names: [String: Int32]
    private let groups: Groups

    /// - Parameter pairs: domains, some with `*` in front, with the numbers of their conditions.
    init(_ pairs: [(domain: String, condition: Int32)]) {
        var names: [String: Int32] = [:]
        var numbered: [(key: Int32, member: Int32)] = []
        numbered.reserveCapacity(pairs.count)
        for pair in pairs {
            let number = names[pair.domain] ?? Int32(names.count)
            names[pair.domain] = number
            numbered.append((number, pair.condition))
        }
        self.names = names
        groups = Groups(count: names.count, numbered)
    }

    /// Adds the conditions that list a host, or with `*` a domain that it belongs to.
    func find(_ host: String, _ found: inout Set<Int32>, _ matcher: inout URLFilterMatcher) {
        guard !names.isEmpty, !host.isEmpty else { return }
        add(host, &found, &matcher)
        var rest = host[...]
        while true {
            add("*" + rest, &found, &matcher)
            guard let dot = rest.firstIndex(of: ".") else { return }
            rest = rest[rest.index(after: dot)...]
        }
    }

    private func add(_ name: String, _ found: inout Set<Int32>, _ matcher: inout URLFilterMatcher) {
        matcher.spend(1)
        guard let number = names[name] else { return }
        let conditions = groups[number]
        matcher.spend(conditions.count)
        found.formUnion(conditions)
    }

    /// The memory of the index in bytes.
    var size: Int { groups.size + names.reduce(0) { $0 + 32 + ($1.key.utf8.count > 15 ? $1.key.utf8.count + 32 : 0) } }
}

/// The patterns of the conditions of URLs.
struct URLConditions: Sendable {
    let filters: URLFilterSet
    private let groups: Groups
    /// The conditions with a pattern that matches each URL.
    private let always: [Int32]

    init(_ filters: URLFilterSet, _ pairs: [(member: URLFilterSetBuilder.Member, condition: Int32)]) {
        self.filters = filters
        var numbered: [(key: Int32, member: Int32)] = []
        var always: [Int32] = []
        for pair in pairs {
            switch pair.member {
            case .pattern(let number): numbered.append((number, pair.condition))
            case .everything: always.append(pair.condition)
            }
        }
        groups = Groups(count: filters.patterns.count, numbered)
        self.always = always
    }

    func find(_ url: LoadURL, _ found: inout Set<Int32>, _ matcher: inout URLFilterMatcher) {
        found.formUnion(always)
        for pattern in filters.matches(url, &matcher) {
            matcher.spend(groups[pattern].count)
            found.formUnion(groups[pattern])
        }
    }

    var size: Int { filters.size + groups.size + always.count * 4 }
}
