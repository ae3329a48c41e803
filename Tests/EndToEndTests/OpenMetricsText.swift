// OpenMetricsText: a strict reader of the OpenMetrics text format, written from its specification alone (version 1.0).

/// What a text says, or the first line that the format does not allow.
struct OpenMetricsText {
    struct Fault: Error, CustomStringConvertible {
        let line: Int
        let description: String
    }

    struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Family {
        var type = ""
        var unit: String?
        var help: String?
        var samples: [Sample] = []
    }

    private(set) var families: [String: Family] = [:]
    private var current: String?
    private var hasEnded = false

    init(_ text: String) throws(Fault) {
        guard text.hasSuffix("# EOF\n") else {
            throw Fault(line: 0, description: "the text does not end with “# EOF” and a newline")
        }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().enumerated() {
            do throws(Text) {
                try take(String(line))
            } catch {
                throw Fault(line: index + 1, description: "\(error.words): \(line)")
            }
        }
        for (name, family) in families {
            do throws(Text) {
                try Self.check(family, name)
            } catch {
                throw Fault(line: 0, description: "\(name): \(error.words)")
            }
        }
    }

    private struct Text: Error { let words: String }

    private static func fault(_ words: String) -> Text { Text(words: words) }

    private mutating func take(_ line: String) throws(Text) {
        guard !hasEnded else { throw Self.fault("a line after # EOF") }
        if line == "# EOF" { return hasEnded = true }
        if line.hasPrefix("#") { return try takeMetadata(line) }
        try takeSample(line)
    }

    private mutating func takeMetadata(_ line: String) throws(Text) {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 4, words[0] == "#", Self.isName(words[2]) else { throw Self.fault("no metadata") }
        let name = words[2]
        if name != current {
            guard families[name] == nil else { throw Self.fault("the lines of a family are apart") }
            families[name] = Family()
            current = name
        }
        guard families[name]?.samples.isEmpty == true else { throw Self.fault("metadata after a sample") }
        switch words[1] {
        case "TYPE":
            guard families[name]?.type == "" else { throw Self.fault("a second type") }
            guard
                ["gauge", "counter", "histogram", "summary", "info", "stateset", "unknown", "gaugehistogram"].contains(
                    words[3])
            else { throw Self.fault("no type") }
            families[name]?.type = words[3]
        case "UNIT":
            guard families[name]?.unit == nil, name.hasSuffix("_" + words[3]) else {
                throw Self.fault("a unit that does not end the name")
            }
            families[name]?.unit = words[3]
        case "HELP":
            guard families[name]?.help == nil else { throw Self.fault("a second help") }
            families[name]?.help = try Self.unescaped(words[3][...])
        default: throw Self.fault("no such metadata")
        }
    }

    private mutating func takeSample(_ line: String) throws(Text) {
        var rest = line[...]
        let name = String(rest.prefix { $0 != "{" && $0 != " " })
        guard Self.isName(name) else { throw Self.fault("no name") }
        rest = rest.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" { labels = try Self.labels(&rest) }
        guard rest.first == " ", let value = Self.number(rest.dropFirst()) else { throw Self.fault("no value") }
        guard let current, let family = families[current] else { throw Self.fault("a sample without a family") }
        let suffixes: [String: [String]] = [
            "counter": ["_total", "_created"], "gauge": [""], "histogram": ["_bucket", "_count", "_sum", "_created"],
        ]
        guard name.hasPrefix(current), let allowed = suffixes[family.type],
            allowed.contains(String(name.dropFirst(current.count)))
        else { throw Self.fault("no sample of the family \(current)") }
        families[current]?.samples.append(Sample(name: name, labels: labels, value: value))
    }

    private static func labels(_ rest: inout Substring) throws(Text) -> [String: String] {
        var labels: [String: String] = [:]
        rest = rest.dropFirst()
        while true {
            let name = String(rest.prefix { $0 != "=" })
            guard isName(name), !name.contains(":"), rest.dropFirst(name.count).hasPrefix("=\"") else {
                throw fault("no label")
            }
            rest = rest.dropFirst(name.count + 2)
            var end = rest.startIndex
            while end < rest.endIndex, rest[end] != "\"" {
                if rest[end] == "\\" { end = rest.index(after: end) }
                guard end < rest.endIndex else { throw fault("a label without an end") }
                end = rest.index(after: end)
            }
            guard end < rest.endIndex else { throw fault("a label without an end") }
            guard labels.updateValue(try unescaped(rest[..<end]), forKey: name) == nil else {
                throw fault("a label twice")
            }
            rest = rest[rest.index(after: end)...]
            if rest.first == "," {
                rest = rest.dropFirst()
                continue
            }
            guard rest.first == "}" else { throw fault("no comma between labels") }
            rest = rest.dropFirst()
            return labels
        }
    }

    private static func unescaped(_ text: Substring) throws(Text) -> String {
        var result = ""
        var rest = text
        while let character = rest.popFirst() {
            guard character == "\\" else {
                guard character != "\"" else { throw fault("a bare quotation mark") }
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": result.append("\n")
            case "\\": result.append("\\")
            case "\"": result.append("\"")
            default: throw fault("no escape")
            }
        }
        return result
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.allSatisfy { $0.isNumber || "+-.eE".contains($0) } ? Double(text) : nil
        }
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first == "_" || first == ":" else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
    }

    /// What holds of a family as a whole.
    private static func check(_ family: Family, _ name: String) throws(Text) {
        guard !family.type.isEmpty else { throw fault("no type") }
        var seen: Set<[String]> = []
        for sample in family.samples {
            let key = [sample.name] + sample.labels.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
            guard seen.insert(key).inserted else { throw fault("a sample twice: \(key)") }
            if family.type == "counter", !(sample.value >= 0 && sample.value.isFinite) {
                throw fault("a counter of \(sample.value)")
            }
        }
        guard family.type == "histogram" else { return }
        let groups = Dictionary(grouping: family.samples) { $0.labels.filter { $0.key != "le" } }
        for (labels, samples) in groups {
            let buckets = samples.filter { $0.name == name + "_bucket" }
            var bounds: [Double] = []
            for bucket in buckets {
                guard let bound = bucket.labels["le"].flatMap({ number($0[...]) }) else {
                    throw fault("a bucket without a bound")
                }
                bounds.append(bound)
            }
            guard bounds.last == .infinity, bounds == bounds.sorted(), Set(bounds).count == bounds.count else {
                throw fault("bounds that do not ascend to +Inf: \(bounds)")
            }
            let values = buckets.map(\.value)
            guard values == values.sorted() else { throw fault("buckets that are not added up: \(values)") }
            let count = samples.filter { $0.name == name + "_count" }
            let sum = samples.filter { $0.name == name + "_sum" }
            guard count.count == 1, sum.count == 1, count[0].value == values.last else {
                throw fault("no count of its buckets, or no sum: \(labels)")
            }
        }
    }
}
