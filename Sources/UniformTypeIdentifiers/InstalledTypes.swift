// InstalledTypes: the type table that UTType uses in this process.

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

    /// Makes `UTType` use a table in this process, permanently. Only the first call has an effect.
    ///
    /// - Returns: whether this was the first call.
    @discardableResult
    public static func install(_ table: TypeTable) -> Bool {
        let mine = Installed(table)
        return installed.storeIfNil(mine) === mine
    }

    /// The table that `UTType` uses: the system's types, until another one is installed.
    public static var current: TypeTable { installed.load()?.table ?? system }

    static var currentTags: TagIndex { installed.load()?.tags ?? TagIndex.system }
}
