// InstalledTypes: the types that UTType knows in this process.

internal import Locks

extension TypeTable {
    private final class Installed: Sendable {
        let table: TypeTable
        let tags: TagIndex

        init(_ table: TypeTable) {
            self.table = table
            tags = TagIndex(table)
        }
    }

    private static let installed = AtomicLazyReference<Installed>()

    /// Makes `UTType` know a table's types in this process, for good. Once: a second call changes nothing.
    ///
    /// - Returns: whether this was the first call.
    @discardableResult
    public static func install(_ table: TypeTable) -> Bool {
        let mine = Installed(table)
        return installed.storeIfNil(mine) === mine
    }

    /// What `UTType` asks: the system's types, until others are installed.
    public static var current: TypeTable { installed.load()?.table ?? system }

    static var currentTags: TagIndex { installed.load()?.tags ?? TagIndex.system }
}
