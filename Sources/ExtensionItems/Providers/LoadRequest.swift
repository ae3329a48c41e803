// LoadRequest: what a reader asks of a representation.

internal import Foundation

/// In which form a value is wanted. On the wire a name of `docs/protocol.md`, section 8.
public enum LoadForm: String, Sendable, Hashable, CaseIterable {
    /// As its owner registered it.
    case item
    /// As bytes.
    case data
    /// As a file to read.
    case file
    /// As the file itself, to work on.
    case place
    /// As a small image.
    case preview
}

/// One load, as its load handler is told of it.
// Unchecked: the options are handed over with the load, and a class is the same in every thread.
struct LoadRequest: @unchecked Sendable {
    var form = LoadForm.item
    var expectedClass: AnyClass?
    var options: [AnyHashable: Any]?
    /// Leaves out representations of this process alone: the load is another process's.
    var isFromOthers = false
    /// Of the task that started the load.
    var mode = ItemMode.current
    /// Where the author's code that runs for it counts.
    var activity: Activity?
}
