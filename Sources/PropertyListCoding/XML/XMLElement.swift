// XMLElement: the elements of a property list's document type.

enum XMLElement: String {
    case plist, dict, key, array, string, integer, real, date, data
    case yes = "true"
    case no = "false"

    /// Nil for any other name. Compares bytes: a document has as many names as values.
    init?(_ name: Slice<UnsafeBufferPointer<UInt8>>) {
        func spells(_ word: StaticString) -> Bool {
            name.elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        }
        let element: XMLElement? =
            switch name.count {
            case 3: spells("key") ? .key : nil
            case 4:
                if spells("dict") {
                    .dict
                } else if spells("true") {
                    .yes
                } else if spells("data") {
                    .data
                } else if spells("date") {
                    .date
                } else {
                    spells("real") ? .real : nil
                }
            case 5: spells("array") ? .array : spells("false") ? .no : spells("plist") ? .plist : nil
            case 6: spells("string") ? .string : nil
            case 7: spells("integer") ? .integer : nil
            default: nil
            }
        guard let element else { return nil }
        self = element
    }
}
