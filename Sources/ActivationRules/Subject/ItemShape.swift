// ItemShape: the items, attachments and types in a subject's tree, where they have the form that rules expect.

/// A view of a complete tree.
struct ItemShape {
    let nodes: [RuleSubject.Node]
    let children: [Int32]
    let root: Int32

    /// Returns the value of one of the known keys.
    func value(of key: String, in node: Int32) -> Int32? {
        guard case .dictionary(let first, let count) = nodes[Int(node)] else { return nil }
        let key = ~TextTable.Symbol.number(key)
        for pair in 0..<Int(count) where children[Int(first) + 2 * pair] == key {
            return children[Int(first) + 2 * pair + 1]
        }
        return nil
    }

    /// Returns the elements of a list; nil if the node is no list.
    func elements(_ node: Int32?) -> ArraySlice<Int32>? {
        guard let node, case .array(let first, let count, _) = nodes[Int(node)] else { return nil }
        return children[Int(first)..<Int(first + count)]
    }

    var items: ArraySlice<Int32>? { elements(value(of: "extensionItems", in: root)) }

    func attachments(of item: Int32) -> ArraySlice<Int32>? { elements(value(of: "attachments", in: item)) }

    /// Returns the node of an attachment's registered types.
    func types(of attachment: Int32) -> Int32? {
        guard let types = value(of: "registeredTypeIdentifiers", in: attachment), case .array = nodes[Int(types)] else {
            return nil
        }
        return types
    }

    /// Makes the table of the attachments. A part of another form counts as empty, for rules that only count.
    ///
    /// For the other rules the table is then not whole.
    func table(_ facts: [RuleSubject.ArrayFacts]) -> AttachmentTable {
        let items = items
        var isWhole = items != nil
        let conformances = (items ?? []).map { item in
            let attachments = attachments(of: item)
            if attachments == nil { isWhole = false }
            return (attachments ?? []).map { attachment -> UInt64 in
                guard let types = types(of: attachment), case .array(_, _, let place) = nodes[Int(types)] else {
                    isWhole = false
                    return 0
                }
                return facts[Int(place)].conformance
            }
        }
        return AttachmentTable(conformances, isWhole: isWhole)
    }
}
