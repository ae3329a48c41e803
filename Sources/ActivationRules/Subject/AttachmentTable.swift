// AttachmentTable: the attachments of all items as a few words, in which nearly every rule finds what it asks for.

/// Made once for a subject, so that a thousand rules read memory that lies together and walk no tree.
struct AttachmentTable: Sendable {
    /// What each attachment's registered types conform to, all together; item by item.
    let conformances: [UInt64]
    /// For each item, where its attachments end among them.
    let ends: [Int]
    /// Whether every item has a list of attachments, and each of those a list of types, so that the tree says nothing that this does not.
    let isWhole: Bool
    /// The classes of each attachment.
    let classes: [AttachmentClasses]
    /// The same, each set once: there are few.
    let kinds: [AttachmentClasses]
    /// How many attachments are in each class, by the class's bit.
    let classCounts: SIMD8<Int32>
    /// How many are files, images or movies.
    let countedTogether: Int

    /// - Parameters:
    ///   - items: what the attachments of each item conform to.
    ///   - isWhole: see there.
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

    /// How many attachments of all items are in a class (one bit).
    func count(of attachmentClass: AttachmentClasses) -> Int { Int(classCounts[attachmentClass.rawValue.trailingZeroBitCount]) }
}
