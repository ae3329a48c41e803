// IndexChange+Coding: the form in which the store keeps the changes of a batch, and the attributes of an item.

internal import PropertyListCoding

extension IndexChange {
    /// The change as a property list.
    var plist: PropertyList {
        switch self {
        case .put(let items): ["put": .array(items.map(\.plist))]
        case .delete(let identifiers): ["delete": .array(identifiers.map { .string($0) })]
        case .deleteDomains(let domains): ["domains": .array(domains.map { .string($0) })]
        case .deleteAll: [:]
        }
    }

    /// - Returns: nil for a property list that is no change.
    init?(_ plist: PropertyList) {
        guard let members = plist.dictionary else { return nil }
        if let items = members["put"]?.array {
            let read = items.compactMap { IndexedItem($0) }
            guard read.count == items.count else { return nil }
            self = .put(read)
        } else if let names = members["delete"]?.array {
            self = .delete(identifiers: names.compactMap(\.string))
        } else if let names = members["domains"]?.array {
            self = .deleteDomains(names.compactMap(\.string))
        } else if members.isEmpty {
            self = .deleteAll
        } else {
            return nil
        }
    }
}

extension IndexedItem {
    fileprivate var plist: PropertyList {
        var members: PropertyListDictionary = [
            "identifier": .string(identifier), "content": content, "update": .boolean(isUpdate),
        ]
        if let expires { members["expires"] = .real(expires) }
        if let domain { members["domain"] = .string(domain) }
        if let thumbnail { members["thumbnail"] = .data(thumbnail) }
        return .dictionary(members)
    }

    fileprivate init?(_ plist: PropertyList) {
        guard let members = plist.dictionary, let identifier = members["identifier"]?.string,
            let content = members["content"]
        else { return nil }
        self.init(identifier: identifier, expires: members["expires"]?.real)
        domain = members["domain"]?.string
        thumbnail = members["thumbnail"]?.data
        isUpdate = members["update"]?.boolean ?? false
        (attributes, searchableNames) = Self.content(content)
    }

    /// The attributes, and the names of those that free words search.
    var content: PropertyList {
        var members: PropertyListDictionary = ["attributes": .dictionary(attributes)]
        if !searchableNames.isEmpty { members["searchable"] = .array(searchableNames.map { .string($0) }) }
        return .dictionary(members)
    }

    static func content(_ plist: PropertyList) -> (attributes: PropertyListDictionary, searchableNames: [String]) {
        let members = plist.dictionary
        return (
            members?["attributes"]?.dictionary ?? [:], members?["searchable"]?.array?.compactMap(\.string) ?? []
        )
    }

    /// The texts that free words search, and all others, in the form of the index.
    var texts: (body: String, rest: String) {
        var body: [String] = []
        var rest = [identifier] + (domain.map { [$0] } ?? [])
        for (name, value) in zip(attributes.keys, attributes.values) {
            let isSearched = Self.searchedNames.contains(name) || searchableNames.contains(name)
            for case .string(let text) in value.elements {
                if isSearched { body.append(text) } else { rest.append(text) }
            }
        }
        return (
            SearchText.indexed(body.joined(separator: "\n")).text, SearchText.indexed(rest.joined(separator: "\n")).text
        )
    }

    /// The numbers and dates by attribute, each once.
    var numbers: [(name: String, value: Double)] {
        zip(attributes.keys, attributes.values).flatMap { name, value in
            Set(value.elements.compactMap(\.searchNumber)).filter { !$0.isNaN }.map { (name: name, value: $0) }
        }
    }
}

extension PropertyList {
    /// The elements of an array, or the value itself.
    fileprivate var elements: [PropertyList] { if case .array(let elements) = self { elements } else { [self] } }
}
