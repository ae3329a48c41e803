// PropertyList+JSON: a property list from a line of JSON, and as one.

package import PropertyListCoding

extension PropertyList {
    /// Reads a line in the form of docs/transcripts.md, section 2.
    ///
    /// - Throws: an error that describes the reason and its column.
    package init(json line: String) throws { self = try JSONReader.read(Array(line.utf8)[...]) }

    /// The property list as one line of JSON, in the same form.
    package var jsonLine: String {
        var writer = JSONWriter()
        writer.write(self)
        return writer.text
    }
}
