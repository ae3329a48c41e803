// ItemsRepresentation: the input of a rule, from a property list or a JSON file.

import PropertyListCoding

enum ItemsRepresentation {
    /// Reads the input. Its top is a dictionary, such as `{"extensionItems": […]}`. A null member counts as missing.
    static func read(_ path: String) throws(CommandError) -> PropertyList {
        let value = try InputFile(path).values()
        guard case .dictionary = value else {
            throw .usage(
                "\(path) contains no dictionary", remedy: #"Write {"extensionItems": [{"attachments": [{…}]}]}"#)
        }
        return value
    }
}
