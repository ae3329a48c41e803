// XMLReader: an XML property list to values, for files on disk.

struct XMLReader {
    private var scanner: XMLScanner
    private let limits: PropertyListLimits
    private let depthLimit: Int
    /// The elements read, and the bytes of text and data in them: XML shares nothing, so they are what a traversal
    /// would visit.
    private var nodes = 0
    private var octets = 0
    private let form: XMLForm
    /// The keys and indices around the present value; nil if nobody asks for paths.
    private var path: [String]?
    /// The keys that occur again, each with a later occurrence; at most `repeatedLimit`.
    private(set) var repeated: [RepeatedKey] = []
    private static let repeatedLimit = 64

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, limits: PropertyListLimits, form: XMLForm, keepsPaths: Bool = false
    ) throws(PropertyListError) {
        guard bytes.count <= limits.bytes else { throw .tooManyBytes(count: bytes.count, limit: limits.bytes) }
        scanner = XMLScanner(bytes, form: form)
        self.limits = limits
        self.form = form
        path = keepsPaths ? [] : nil
        depthLimit = limits.effectiveDepth
    }

    mutating func readDocument() throws(PropertyListError) -> PropertyList {
        try scanner.prolog()
        guard case .start(.plist, isEmpty: false) = try scanner.tag(expecting: "<plist>") else {
            throw .unexpected("another element", expected: "<plist> with a value", at: scanner.place)
        }
        guard let value = try value(before: .plist, depth: 0) else {
            throw .unexpected("</plist>", expected: "a value in <plist>", at: scanner.place)
        }
        try scanner.endTag(.plist)
        try scanner.skipMisc()
        guard scanner.isAtEnd else { throw scanner.unexpected("the end of the document") }
        return value
    }

    private mutating func countNode(at place: Int) throws(PropertyListError) {
        nodes += 1
        guard nodes <= limits.objects else { throw .tooManyObjects(limit: limits.objects, at: scanner.place(place)) }
        guard nodes <= limits.expandedNodes else {
            throw .tooManyExpandedNodes(limit: limits.expandedNodes, at: scanner.place(place))
        }
    }

    /// Returns the next value in `parent`, or nil after the parent's end tag, which is consumed.
    private mutating func value(before parent: XMLElement, depth: Int) throws(PropertyListError) -> PropertyList? {
        try scanner.skipMisc()
        let place = scanner.position
        switch try scanner.tag(expecting: "a value or </\(parent.rawValue)>") {
        case .end(parent): return nil
        case .end(let other):
            throw .unexpected("</\(other.rawValue)>", expected: "</\(parent.rawValue)>", at: scanner.place(place))
        case .start(let element, let isEmpty):
            try countNode(at: place)
            return try value(of: element, isEmpty: isEmpty, at: place, depth: depth)
        }
    }

    private mutating func value(
        of element: XMLElement, isEmpty: Bool, at place: Int, depth: Int
    ) throws(PropertyListError) -> PropertyList {
        switch element {
        case .array, .dict:
            guard depth < depthLimit else { throw .tooDeep(limit: depthLimit, at: scanner.place(place)) }
            if element == .array { return .array(isEmpty ? [] : try array(depth: depth + 1)) }
            return .dictionary(isEmpty ? PropertyListDictionary() : try dictionary(depth: depth + 1))
        case .yes, .no:
            if !isEmpty { try scanner.endTag(element) }
            return .boolean(element == .yes)
        case .key, .plist:
            throw .unexpected("<\(element.rawValue)>", expected: "a value", at: scanner.place(place))
        case .string, .integer, .real, .date, .data:
            let text = isEmpty ? "" : try text(of: element, at: place)
            return try scalar(element, text, at: place)
        }
    }

    private mutating func text(of element: XMLElement, at place: Int) throws(PropertyListError) -> String {
        guard let text = try scanner.text(of: element, limit: limits.expandedBytes - octets) else {
            throw .tooManyExpandedBytes(limit: limits.expandedBytes, at: scanner.place(place))
        }
        octets += text.utf8.count
        return text
    }

    private func scalar(_ element: XMLElement, _ text: String, at place: Int) throws(PropertyListError) -> PropertyList
    {
        switch element {
        case .string: return .string(text)
        case .integer:
            switch XMLValues.integer(text) {
            case .value(let value): return .integer(value)
            case .outOfRange: throw .integerOutOfRange(at: scanner.place(place))
            case .malformed: break
            }
        case .real: if let value = XMLValues.real(text) { return .real(value) }
        case .date: if let value = XMLValues.date(text) { return .date(value) }
        default: if let value = XMLValues.data(text) { return .data(value) }
        }
        throw .badContent(element: element.rawValue, text: excerpt(text.utf8), at: scanner.place(place))
    }

    private mutating func array(depth: Int) throws(PropertyListError) -> [PropertyList] {
        var items: [PropertyList] = []
        path?.append("")
        while true {
            if let last = path?.indices.last { path?[last] = "[\(items.count)]" }
            guard let item = try value(before: .array, depth: depth) else { break }
            items.append(item)
        }
        path?.removeLast()
        return items
    }

    private mutating func dictionary(depth: Int) throws(PropertyListError) -> PropertyListDictionary {
        var entries = UniqueEntries()
        while true {
            try scanner.skipMisc()
            let place = scanner.position
            switch try scanner.tag(expecting: "<key> or </dict>") {
            case .end(.dict): return entries.dictionary
            case .start(.key, let isEmpty):
                try countNode(at: place)
                let key = isEmpty ? "" : try text(of: .key, at: place)
                let old = entries.position(of: key)
                if old != nil { try repeatKey(key, at: place) }
                path?.append(key)
                guard let value = try value(before: .dict, depth: depth) else {
                    throw .unexpected(
                        "</dict>", expected: "a value for the key “\(excerpt(key.utf8))”", at: scanner.place)
                }
                path?.removeLast()
                entries.set(key, value, at: old)
            case .end(let other):
                throw .unexpected("</\(other.rawValue)>", expected: "<key> or </dict>", at: scanner.place(place))
            case .start(let other, _):
                throw .unexpected("<\(other.rawValue)>", expected: "<key> or </dict>", at: scanner.place(place))
            }
        }
    }
}

extension XMLReader {
    private mutating func repeatKey(_ key: String, at place: Int) throws(PropertyListError) {
        guard form == .authored else { throw .duplicateKey(excerpt(key.utf8), at: scanner.place(place)) }
        guard let path, repeated.count < Self.repeatedLimit, case .line(let line, _) = scanner.place(place) else {
            return
        }
        var text = ""
        for part in path + [key] { text += text.isEmpty || part.hasPrefix("[") ? part : ".\(part)" }
        repeated.append(RepeatedKey(path: text, line: line))
    }
}

/// A dictionary under construction. Each key is searched for before it is added.
private struct UniqueEntries {
    private var keys: [String] = []
    private var values: [PropertyList] = []
    private var filter = KeyFilter()
    /// The positions of the keys, if there are more than a few.
    private var index: [String: Int]?

    init() {
        keys.reserveCapacity(8)
        values.reserveCapacity(8)
    }

    func position(of key: String) -> Int? {
        guard filter.mayHold(key) else { return nil }
        return index.map { $0[key] } ?? keys.firstIndex(of: key)
    }

    /// Adds a value, or replaces the one at the position of an equal key.
    mutating func set(_ key: String, _ value: PropertyList, at position: Int?) {
        if let position {
            values[position] = value
            return
        }
        index?[key] = keys.count
        keys.append(key)
        values.append(value)
        filter.insert(key)
        if index == nil, keys.count > PropertyListDictionary.fewest {
            index = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
        }
    }

    var dictionary: PropertyListDictionary { PropertyListDictionary(uniqueKeys: keys, values: values, index: index) }
}
