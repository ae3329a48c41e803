// NearestNames: the names that a user probably meant by an unknown one.

package enum NearestNames {
    /// Returns the names that are like `text`: one is a part of the other, or they differ by one or two letters.
    ///
    /// Of the names that differ, only the nearest are returned; at most four names in all. The case of letters does not
    /// count. A text of two letters or fewer has no result.
    ///
    /// - Parameter names: only the first 256 are checked, as the text may be a stranger's.
    package static func of(_ text: String, among names: some Sequence<String>) -> [String] {
        let wanted = text.prefix(64).lowercased()
        guard wanted.utf8.count > 2 else { return [] }
        var near: [(name: String, distance: Int)] = []
        var least = wanted.utf8.count == 3 ? 1 : 2
        for original in names.prefix(256) {
            let name = original.prefix(64).lowercased()
            guard name.utf8.count > 2 else { continue }
            if name.contains(wanted) || wanted.contains(name) {
                near.append((original, 0))
            } else if abs(name.utf8.count - wanted.utf8.count) <= 8 {
                let distance = distance(Array(name.unicodeScalars), Array(wanted.unicodeScalars))
                guard distance <= least else { continue }
                least = distance
                near.append((original, distance))
            }
        }
        near.removeAll { $0.distance > least }
        return near.prefix(4).map(\.name)
    }

    /// Returns `Is one or two meant?`; nil if no name is like it.
    package static func question(_ text: String, among names: some Sequence<String>) -> String? {
        let near = of(text, among: names)
        return near.isEmpty ? nil : "Is \(near.joined(separator: " or ")) meant?"
    }

    /// Returns the number of letters to insert, delete or replace.
    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var row = Array(0...other.count)
        for (place, letter) in one.enumerated() {
            var corner = row[0]
            row[0] = place + 1
            for (index, its) in other.enumerated() {
                let next = min(row[index] + 1, row[index + 1] + 1, corner + (letter == its ? 0 : 1))
                corner = row[index + 1]
                row[index + 1] = next
            }
        }
        return row[other.count]
    }
}

extension ExtensionHostError {
    /// Returns the error for an unknown extension. The name may be a stranger's text of any length.
    package static func noSuchExtension(
        _ name: String, among identifiers: some Sequence<String>, remedy: String
    ) -> ExtensionHostError {
        let question = NearestNames.question(name, among: identifiers).map { $0 + " " } ?? ""
        return ExtensionHostError(
            .noSuchExtension, "there is no extension \(String(decoding: name.utf8.prefix(512), as: UTF8.self))",
            remedy: question + remedy)
    }
}
