// PublicSuffixList: the part of a host that somebody has registered.

/// The suffixes under which anybody can register a domain.
///
/// The list itself is Mozilla's and is not part of this project. Debian has it in the package `publicsuffix`; who makes
/// a `RuleList` reads it. Without one each last label is a suffix, and `a.co.uk` and `b.co.uk` are one party.
public struct PublicSuffixList: Sendable {
    private var rules: Set<String> = []

    /// A list without rules: the suffix of a host is its last label.
    public init() {}

    /// Reads a list in the form of publicsuffix.org. Lines that are no rules are passed over.
    public init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("//") {
            guard let rule = line.split(whereSeparator: \.isWhitespace).first else { continue }
            rules.insert(rule.split(separator: ".").map { Self.encoded($0) }.joined(separator: "."))
        }
    }

    /// Whether the list has rules.
    public var isEmpty: Bool { rules.isEmpty }

    /// Returns the registrable domain of a host: its public suffix and one label more.
    ///
    /// A host that is an address or a suffix is its own.
    ///
    /// - Parameter host: the host in lower case.
    public func registrableDomain(of host: String) -> String {
        var labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true { labels.removeLast() }
        guard labels.count > 1, !host.contains(":"), !(labels.last?.allSatisfy(\.isNumber) ?? true) else { return host }
        var suffix = 1
        for start in labels.indices {
            let name = labels[start...].joined(separator: ".")
            if rules.contains("!" + name) {
                suffix = labels.count - start - 1
                break
            }
            let parent = labels[(start + 1)...].joined(separator: ".")
            if rules.contains(name) || (!parent.isEmpty && rules.contains("*." + parent)) {
                suffix = labels.count - start
                break
            }
        }
        return labels.suffix(suffix + 1).joined(separator: ".")
    }

    /// Returns a label in Punycode, if it is not ASCII (RFC 3492).
    private static func encoded(_ label: Substring) -> String {
        let scalars = label.unicodeScalars.map { Int($0.value) }
        guard scalars.contains(where: { $0 >= 0x80 }) else { return String(label) }
        let basic = scalars.filter { $0 < 0x80 }
        var output = basic.map { UInt8($0) }
        if !output.isEmpty { output.append(UInt8(ascii: "-")) }
        var (code, delta, bias, handled) = (0x80, 0, 72, basic.count)
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= code }).min() else { break }
            delta += (next - code) * (handled + 1)
            code = next
            for scalar in scalars {
                if scalar < code { delta += 1 }
                guard scalar == code else { continue }
                var (rest, digit) = (delta, 36)
                while true {
                    let threshold = min(max(digit - bias, 1), 26)
                    if rest < threshold { break }
                    output.append(Self.digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    digit += 36
                }
                output.append(Self.digit(rest))
                bias = adapted(delta, handled + 1, isFirst: handled == basic.count)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return "xn--" + String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + Int(UInt8(ascii: "a")) : value - 26 + Int(UInt8(ascii: "0")))
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
