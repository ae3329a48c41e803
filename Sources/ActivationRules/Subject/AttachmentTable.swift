// AttachmentTable: the attachments of all items as a few words, which are enough to evaluate nearly every rule.

/// The attachments of a subject, made once, so that a thousand rules read contiguous memory instead of a tree.
struct AttachmentTable: Sendable {
    /// The types that each attachment's registered types conform to, as a union; item by item.
    let conformances: [UInt64]
    /// The end of each item's attachments among them.
    let ends: [Int]
    /// Whether every item has a list of attachments, and each attachment a list of types. Then the tree has no more
    /// facts.
    let isWhole: Bool
    /// The classes of each attachment.
    let classes: [AttachmentClasses]
    /// The distinct sets among `classes`: there are few.
    let kinds: [AttachmentClasses]
    /// The number of attachments in each class, by the class's bit.
    let classCounts: SIMD8<Int32>
    /// The number of attachments that are files, images or movies.
    let countedTogether: Int

    /// - Parameters:
    ///   - items: the types that the attachments of each item conform to.
    ///   - isWhole: the value of the property.
    init(_ items: [[UInt64]], isWhole: Bool) {
        self.isWhole = isWhole
        conformances = Array(items.joined())
        var (end, ends): (Int, [Int]) = (0, [])
        for item in items {
            end += item.count
            ends.append(end)
        }
        self.ends = ends
        classes = conformances.map(AttachmentClasses.init(conformance:))
        var (kinds, counts, together): ([AttachmentClasses], SIMD8<Int32>, Int) = ([], .zero, 0)
        for own in classes {
            if !kinds.contains(own) { kinds.append(own) }
            for bit in 0..<AttachmentClasses.count where own.rawValue >> UInt8(bit) & 1 != 0 { counts[bit] += 1 }
            if !own.isDisjoint(with: [.image, .movie, .anyFile]) { together += 1 }
        }
        (self.kinds, classCounts, countedTogether) = (kinds, counts, together)
    }

    /// Returns the number of attachments of all items in a class (one bit).
    func count(of attachmentClass: AttachmentClasses) -> Int {
        Int(classCounts[attachmentClass.rawValue.trailingZeroBitCount])
    }
}
