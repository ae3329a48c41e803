// LoadRequest: the form and options of a load.

internal import Foundation

/// The form in which a value is loaded. On the wire it is a name of `docs/protocol.md`, section 8.
public enum LoadForm: String, Sendable, Hashable, CaseIterable {
    /// The form that the owner registered.
    case item
    /// The bytes.
    case data
    /// A file to read.
    case file
    /// The owner's file itself, for editing in place.
    case place
    /// A small image.
    case preview
}

/// One load, as its load handler sees it.
// Unchecked: the options are handed over with the load, and a class is the same in every thread.
struct LoadRequest: @unchecked Sendable {
    var form = LoadForm.item
    var expectedClass: AnyClass?
    var options: [AnyHashable: Any]?
    /// Whether the load is another process's: it excludes representations that are private to this process.
    var isFromOthers = false
    /// The mode of the task that started the load.
    var mode = ItemMode.current
    /// The activity that counts the author's code for this load.
    var activity: Activity?
}
