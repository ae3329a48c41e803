// OfferedTypes: what a host holds, as an extension gets it.

extension OfferedTypes {
    /// As an extension gets them whose rule asks for a web page, or does not.
    public func attachments(withWebPages: Bool) -> [[[String]]] {
        guard withWebPages, !webPages.isEmpty else { return attachments }
        return attachments.enumerated().map { place, item in
            place < webPages.count && !webPages[place].isEmpty ? item + [webPages[place]] : item
        }
    }
}
