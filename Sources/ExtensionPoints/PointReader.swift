// PointReader: the reader of a property list into an ExtensionPoint; every value is checked, and no key is overlooked.

import ExtensionProtocol
import PropertyListCoding

extension ExtensionPoint {
    /// The maximum size of a point's file in bytes; the largest built-in one has 2,000.
    public static let fileLimit = 64 * 1024

    /// Reads one point from the contents of a file, XML or binary. Missing keys take the defaults of the page.
    ///
    /// - Throws: `PointError` with the first key that is wrong or unknown. A misspelt key would otherwise have no
    ///   effect and raise no error.
    public init(file bytes: [UInt8]) throws(PointError) {
        let plist: PropertyList
        do {
            var limits = PropertyListLimits.file
            limits.bytes = Self.fileLimit
            limits.depth = 8
            plist = try PropertyList(file: bytes, limits: limits)
        } catch {
            throw PointError(
                nil, "is not a property list: \(error)", "Write it as XML or binary, as docs/extension-points.md shows")
        }
        try self.init(plist: plist)
    }

    init(plist: PropertyList) throws(PointError) {
        var reader = try PointReader(plist, within: nil)
        let identifier = try reader.text("Identifier", limit: 255)
        guard let identifier else {
            throw PointError("Identifier", "is missing", "Name the point, as in com.example.point")
        }
        guard Self.isIdentifier(identifier) else {
            throw PointError(
                "Identifier", "has characters other than letters, digits, hyphens and dots, or begins with a dot",
                "Write it as in com.example.point")
        }
        guard let hasInterface = try reader.boolean("Interface") else {
            throw PointError(
                "Interface", "is missing", "Write <true/> if its extensions show an interface, otherwise <false/>")
        }
        self.init(identifier: identifier, hasInterface: hasInterface)
        name = try reader.text("Name", limit: 128) ?? identifier
        source = try reader.text("Source", limit: 1024)
        processPolicy = try reader.choice("ProcessPolicy") ?? .shared
        prewarm = try reader.count("Prewarm", to: Self.prewarmLimit) ?? 0
        guard prewarm == 0 || processPolicy == .onePerRequest else {
            throw PointError(
                "Prewarm", "is more than 0 where processes are shared, although a shared process already waits",
                "Remove it, or write onePerRequest as ProcessPolicy")
        }
        takesActivationRules = try reader.boolean("ActivationRules") ?? false
        if var settings = try reader.dictionary("Timers") {
            for name in Timers.Name.allCases { try settings.timer(name, of: &timers) }
            try settings.finish()
        }
        if var limit = try reader.dictionary("MemoryLimit") {
            memoryLimit = try limit.memoryLimit()
            try limit.finish()
        }
        if var settings = try reader.dictionary("Limits") {
            for name in ResourceLimits.Name.allCases { try settings.limit(name, of: &limits) }
            try settings.finish()
        }
        urlPolicy = try reader.choice("OpenURL") ?? .never
        hostNotifications = try reader.boolean("HostNotifications") ?? true
        framework = try reader.text("Framework", limit: 128)
        support = try reader.text("Support", limit: 128)
        messages.accepts = try reader.names("Accepts")
        messages.sends = try reader.names("Sends")
        if var limits = try reader.dictionary("CallLimits") {
            for name in Set(messages.accepts + messages.sends) { callLimits[name] = try limits.duration(name) }
            try limits.finish()
        }
        ends = try reader.text("Ends", limit: 64)
        if let ends, !messages.accepts.contains(ends) {
            throw PointError("Ends", "is no call of Accepts", "Name the call of a host after which its request is over")
        }
        consents = try reader.words("Consents")
        if var required = try reader.dictionary("Entitlement") {
            entitlement = try required.entitlement()
            try required.finish()
        }
        if var differences = try reader.dictionary("Confinement") {
            confinement = try differences.confinement(consents)
            try differences.finish()
        }
        try reader.finish()
    }

    /// Whether a text has the form of a bundle identifier, so that it cannot become a path.
    static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && !text.hasPrefix(".")
            && text.utf8.allSatisfy { PointReader.isWordByte($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    }
}

/// The reader of one dictionary, which tracks the keys that were never requested.
struct PointReader {
    /// The maximum number of names in a list of messages. `nameLimit` is the maximum size of one, in bytes.
    private static let namesLimit = 64
    private static let nameLimit = 64
    /// The maximum of a process's timers: a day, in seconds.
    private static let timerLimit = Duration.seconds(86_400)

    private let dictionary: PropertyListDictionary
    private let outer: String?
    private var known: Set<String> = []

    init(_ plist: PropertyList, within outer: String?) throws(PointError) {
        guard case .dictionary(let dictionary) = plist else {
            throw PointError(outer, "is no dictionary", "Write it as <dict>…</dict>")
        }
        self.dictionary = dictionary
        self.outer = outer
    }

    func path(_ key: String) -> String { outer.map { "\($0).\(key)" } ?? key }

    mutating func value(_ key: String) -> PropertyList? {
        known.insert(key)
        return dictionary[key]
    }

    /// Throws if a key was never requested. Call it after all requests.
    func finish() throws(PointError) {
        guard let stray = dictionary.keys.first(where: { !known.contains($0) }) else { return }
        throw PointError(
            path(stray.cut(toBytes: 64)), "is no key of an extension point",
            "Remove it; there are \(known.sorted().joined(separator: ", "))")
    }

    mutating func text(_ key: String, limit: Int) throws(PointError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= limit, !text.utf8.contains(0) else {
            throw PointError(path(key), "is no text of 1 to \(limit) bytes", "Write it as <string>…</string>")
        }
        return text
    }

    mutating func boolean(_ key: String) throws(PointError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let boolean = value.boolean else {
            throw PointError(path(key), "is neither true nor false", "Write it as <true/> or <false/>")
        }
        return boolean
    }

    mutating func count(_ key: String, to limit: Int) throws(PointError) -> Int? {
        guard let value = value(key) else { return nil }
        guard let count = value.integer, (0...Int64(limit)).contains(count) else {
            throw PointError(path(key), "is no integer from 0 to \(limit)", "Write it as <integer>…</integer>")
        }
        return Int(count)
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) throws(PointError) -> Choice?
    where Choice.RawValue == String {
        guard let value = value(key) else { return nil }
        guard let choice = value.string.flatMap(Choice.init(rawValue:)) else {
            throw PointError(
                path(key), "is not one of its values",
                "Write one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    mutating func dictionary(_ key: String) throws(PointError) -> PointReader? {
        guard let value = value(key) else { return nil }
        return try PointReader(value, within: path(key))
    }

    mutating func timer(_ name: Timers.Name, of timers: inout Timers) throws(PointError) {
        guard let value = value(name.rawValue) else { return }
        if name == .request, value.string == "off" {
            timers[.request] = nil
            return
        }
        timers[name] = try duration(name.rawValue, or: name == .request ? ", or off" : "")
    }

    mutating func duration(_ key: String, or other: String = "") throws(PointError) -> Duration? {
        guard let value = value(key) else { return nil }
        guard let duration = Duration(setting: value), duration <= Self.timerLimit else {
            throw PointError(path(key), "is no duration of at most a day", "Write it as 500ms, 3s or 5min" + other)
        }
        return duration
    }

    mutating func limit(_ name: ResourceLimits.Name, of limits: inout ResourceLimits) throws(PointError) {
        guard let value = value(name.rawValue) else { return }
        guard let setting = ResourceLimits.Setting(name, setting: value) else {
            throw PointError(path(name.rawValue), "is no limit", "Write \(name.form)")
        }
        limits[setting: name] = setting
    }

    /// Returns the names of all entries that were not requested yet, and marks them as requested.
    mutating func restOfKeys() -> [String] {
        let keys = dictionary.keys.filter { !known.contains($0) }.sorted()
        known.formUnion(keys)
        return keys
    }

    mutating func memoryLimit() throws(PointError) -> MemoryLimit {
        guard let bytes = value("Bytes")?.integer, (1 << 20...1 << 40).contains(bytes) else {
            throw PointError(
                path("Bytes"), "is no integer from 1,048,576 (1 MiB) to 2⁴⁰ (1 TiB)", "Write it as <integer>…</integer>"
            )
        }
        guard let provenance: MemoryLimit.Provenance = try choice("Provenance") else {
            throw PointError(
                path("Provenance"), "is missing", "Write the origin of the figure: documented, observed or guess")
        }
        guard let source = try text("Source", limit: 1024) else {
            throw PointError(path("Source"), "is missing", "Write the source of the figure")
        }
        return MemoryLimit(bytes: Int(bytes), provenance: provenance, source: source)
    }

    mutating func entitlement() throws(PointError) -> RequiredEntitlement {
        guard let key = try text("Key", limit: 255) else {
            throw PointError(path("Key"), "is missing", "Name the entitlement that extensions need")
        }
        return RequiredEntitlement(key: key, value: try text("Value", limit: 255))
    }

    /// - Parameter consents: the consents of the point.
    mutating func confinement(_ consents: [String]) throws(PointError) -> PointConfinement {
        var confinement = PointConfinement()
        confinement.network = try choice("Network") ?? .entitled
        confinement.groupContainers = try choice("GroupContainers") ?? .readWrite
        guard var unless = try dictionary("Unless") else { return confinement }
        let exception = PointConfinement.Exception(
            consent: try unless.text("Consent", limit: Self.nameLimit),
            attribute: try unless.text("Attribute", limit: 255))
        try unless.finish()
        guard exception.consent != nil || exception.attribute != nil else {
            throw PointError(path("Unless"), "has no condition", "Write Consent, Attribute or both")
        }
        if let consent = exception.consent, !consents.contains(consent) {
            throw PointError(
                path("Unless.Consent"), "is no consent of the point", "Write the name under Consents, too")
        }
        confinement.unless = exception
        return confinement
    }

    /// Returns the names of calls.
    mutating func names(_ key: String) throws(PointError) -> [String] {
        try list(key, "point.verb, with letters and digits", Self.isCallName)
    }

    /// Returns names of letters and digits.
    mutating func words(_ key: String) throws(PointError) -> [String] {
        try list(key, "a word of letters and digits") { !$0.isEmpty && $0.utf8.allSatisfy(Self.isWordByte) }
    }

    private mutating func list(
        _ key: String, _ form: String, _ isName: (String) -> Bool
    ) throws(PointError) -> [String] {
        guard let value = value(key) else { return [] }
        guard let entries = value.array, entries.count <= Self.namesLimit else {
            throw PointError(
                path(key), "is no list of at most \(Self.namesLimit) names", "Write it as <array>…</array>")
        }
        var names: [String] = []
        for entry in entries {
            guard let name = entry.string, name.utf8.count <= Self.nameLimit, isName(name) else {
                throw PointError(path(key), "has an invalid name", "Write it as \(form), at most \(Self.nameLimit)")
            }
            guard !names.contains(name) else {
                throw PointError(path(key), "names \(name) twice", "Write each name once")
            }
            names.append(name)
        }
        return names
    }

    /// Whether a text has the form `point.verb`: two or more words of letters and digits.
    private static func isCallName(_ text: String) -> Bool {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        return words.count >= 2 && words.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isWordByte) }
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
