// ItemPath: a path into an item as `run --json` shows it, and the value at it.

import Scenarios

extension JSON {
    /// Returns the value at a path of member names and indices from 0. Nil if there is none.
    ///
    /// A name may contain dots: the longest existing name counts.
    func value(at path: ArraySlice<String>) -> JSON? {
        guard let first = path.first else { return self }
        switch self {
        case .object(let members):
            for count in stride(from: path.count, through: 1, by: -1) {
                let name = path.prefix(count).joined(separator: ".")
                guard let member = members.first(where: { $0.name == name }) else { continue }
                return member.value.value(at: path.dropFirst(count))
            }
            return nil
        case .array(let values):
            guard let place = Int(first), values.indices.contains(place) else { return nil }
            return values[place].value(at: path.dropFirst())
        case .null, .boolean, .integer, .real, .string: return nil
        }
    }

    /// All values that contain no others, by their paths.
    var leaves: [(path: String, value: JSON)] {
        func below(_ name: String, _ value: JSON) -> [(path: String, value: JSON)] {
            value.leaves.map { ($0.path.isEmpty ? name : "\(name).\($0.path)", $0.value) }
        }
        switch self {
        case .object(let members): return members.flatMap { below($0.name, $0.value) }
        case .array(let values): return values.enumerated().flatMap { below("\($0)", $1) }
        case .null, .boolean, .integer, .real, .string: return [("", self)]
        }
    }
}

extension ScenarioValue {
    /// Whether the scalar equals a value. All numbers are one kind.
    func equals(_ value: JSON?) -> Bool {
        switch (self, value) {
        case (.text(let text), .string(let other)?): text == other
        case (.number(let number), .integer(let other)?): number == Double(other)
        case (.number(let number), .real(let other)?): number == other
        case (.boolean(let value), .boolean(let other)?): value == other
        case (.null, .null?), (.null, nil): true
        default: false
        }
    }
}

extension ScenarioExpectation.Comparison {
    func holds(_ value: JSON?, _ wanted: ScenarioValue) -> Bool {
        switch self {
        case .equal: wanted.equals(value)
        case .unequal: !wanted.equals(value)
        case .contains:
            switch value {
            case .string(let text)?: if case .text(let part) = wanted { text.contains(part) } else { false }
            case .array(let values)?: values.contains { wanted.equals($0) }
            default: false
            }
        }
    }
}
