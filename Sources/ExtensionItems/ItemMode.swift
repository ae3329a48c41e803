// ItemMode: stricter handling of items, for tests of extensions and hosts.

internal import Glibc
internal import Locks

/// The mode of handling items. A process starts with the mode of its environment; a test sets another mode for a scope.
///
/// The daemon passes these variables on to extensions.
///
/// | variable | effect |
/// | --- | --- |
/// | `EXTHOST_ITEMS_STRICT=1` | attachments that are no providers are refused |
/// | `EXTHOST_ITEMS_POISON=1` | a file representation is overwritten before it is removed |
/// | `EXTHOST_ITEMS_SEED=N` | loads are answered one by one, in an order that N decides |
public struct ItemMode: Sendable {
    /// Whether attachments that are no providers are refused (spec 1.5); otherwise they travel as plain values.
    public var isStrict = false
    /// Whether a temporary file is overwritten before it is removed, so that a reader which kept it notices at once.
    public var poisonsFiles = false
    /// The order in which loads are answered one by one; nil: as they come, several at once.
    public var delivery: SerialDelivery?

    /// Makes a mode; without arguments the usual one.
    public init(isStrict: Bool = false, poisonsFiles: Bool = false, delivery: SerialDelivery? = nil) {
        self.isStrict = isStrict
        self.poisonsFiles = poisonsFiles
        self.delivery = delivery
    }

    /// The mode of the calling task: that of the innermost `with`, else the process's.
    public static var current: ItemMode { scoped ?? process }

    /// Runs `body`, and every load that it starts, in a mode.
    public static func with<Value>(_ mode: ItemMode, _ body: () throws -> Value) rethrows -> Value {
        try $scoped.withValue(mode, operation: body)
    }

    /// Runs `body`, and every load that it starts, in a mode.
    public static func with<Value>(
        _ mode: ItemMode, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await $scoped.withValue(mode, operation: body, isolation: isolation)
    }

    @TaskLocal private static var scoped: ItemMode?

    private static let process = ItemMode(
        isStrict: variable("EXTHOST_ITEMS_STRICT") == "1", poisonsFiles: variable("EXTHOST_ITEMS_POISON") == "1",
        delivery: variable("EXTHOST_ITEMS_SEED").flatMap(UInt64.init).map(SerialDelivery.init))

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
