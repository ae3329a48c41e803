// SearchLimits: the bounds of a query and of the items of an index.

/// The bounds of what apps and extensions may store and ask. All values come from other processes.
public struct SearchLimits: Sendable {
    /// The bytes of a query's text, and of a text of free words.
    public var queryBytes = 8 << 10
    /// The parentheses and negations around a comparison.
    public var queryDepth = 32
    /// The comparisons of a query, and the free words of a search.
    public var comparisons = 64
    /// The items of one change.
    public var itemsPerChange = 4096
    /// The identifiers or domains of one deletion.
    public var namesPerDeletion = 4096
    /// The bytes of an identifier, of a domain, and of the name of an index or attribute.
    public var nameBytes = 4096
    /// The attributes of an item.
    public var attributes = 512
    /// The different numbers and dates of an item's attributes.
    public var numbersPerItem = 1024
    /// The bytes of an item's attributes in binary form, without its thumbnail.
    public var itemBytes = 4 << 20
    /// The bytes of a thumbnail (`thumbnailData`, or the file of `thumbnailURL`).
    public var thumbnailBytes = 10 << 20
    /// The bytes of a batch's client state (header).
    public var clientStateBytes = 250
    /// The batches of a family that are open at once.
    public var openBatches = 16
    /// The named indexes of a family that have a client state.
    public var clientStates = 64
    /// The bytes of the changes of a batch that is not in the index yet.
    public var batchBytes = 256 << 20
    /// The items of an app family.
    public var itemsPerFamily = 1_000_000
    /// The bytes of an app family's items with their texts and thumbnails.
    public var bytesPerFamily = 2 << 30
    /// The items that one page of a search reads, and the bytes of their attributes.
    public var rowsPerPage = 2048
    public var bytesPerPage = 4 << 20
    /// The numbers of items that a search finds ahead of its pages, at most.
    public var rowsAhead = 1 << 18
    /// The work of one page and of one query, in steps of `WorkMeter`: a step takes about 30 ns.
    public var workPerPage = 1 << 20
    public var workPerQuery = 1 << 30

    public init() {}
}
