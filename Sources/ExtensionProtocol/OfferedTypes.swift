// OfferedTypes: the types that a host offers, in the form that an extension gets.

extension OfferedTypes {
    /// Returns the types as an extension gets them whose rule asks for a web page, or does not.
    public func attachments(withWebPages: Bool) -> [[[String]]] {
        guard withWebPages, !webPages.isEmpty else { return attachments }
        return attachments.enumerated().map { place, item in
            place < webPages.count && !webPages[place].isEmpty ? item + [webPages[place]] : item
        }
    }
}
