// ProfileReader: the reader of a property list into a PlatformProfile; every value is checked, and no key is
// overlooked.

import PropertyListCoding

extension PlatformProfile {
    /// Reads one profile from the contents of a file.
    ///
    /// - Throws: `PointError` with the first key that is wrong.
    init(file bytes: [UInt8]) throws(PointError) {
        let plist: PropertyList
        do {
            plist = try PropertyList(file: bytes, limits: .file)
        } catch {
            throw PointError(nil, "is not a property list: \(error)", "Write it as XML or binary")
        }
        var reader = try PointReader(plist, within: nil)
        guard let name = try reader.text("Name", limit: 64), let title = try reader.text("Title", limit: 128) else {
            throw PointError("Name", "or Title is missing", "Name the platform for programs and for people")
        }
        self.init(name: name, title: title, version: try reader.text("Version", limit: 16), memory: [:])
        if var points = try reader.dictionary("Memory") {
            for identifier in points.restOfKeys() {
                guard var figure = try points.dictionary(identifier) else { continue }
                memory[identifier] = try figure.memoryLimit()
                try figure.finish()
            }
        }
        endsUnresponsive = try reader.habit("EndsUnresponsive") { (reader) throws(PointError) in
            try reader.boolean("Value")
        }
        suspension = try reader.habit("Suspension") { (reader) throws(PointError) in try reader.choice("Value") }
        try reader.finish()
    }
}

extension PointReader {
    fileprivate mutating func habit<Value>(
        _ key: String, _ value: (inout PointReader) throws(PointError) -> Value?
    ) throws(PointError) -> PlatformProfile.Habit<Value>? {
        guard var reader = try dictionary(key) else { return nil }
        guard let value = try value(&reader), let provenance: MemoryLimit.Provenance = try reader.choice("Provenance"),
            let source = try reader.text("Source", limit: 1024)
        else { throw PointError(path(key), "is incomplete", "Give Value, Provenance and Source") }
        try reader.finish()
        return PlatformProfile.Habit(value: value, provenance: provenance, source: source)
    }
}
