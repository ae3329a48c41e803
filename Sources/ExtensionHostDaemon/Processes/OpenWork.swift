// OpenWork: the work of a process as text for the log: numbers, sizes and types, never contents; pure.

import ExtensionProtocol

/// The requests that were open, and the loads that were pending for them.
struct OpenWork: Sendable {
    var requests: [RequestIdentifier] = []
    var loads: [LoadRecord] = []

    /// The most requests, and the most loads, that a line of the log names.
    private static let shown = 4

    /// The text for the log: `request 1B…, 2C… and 3 more; loading attachment 0 as public.data`.
    var summary: String {
        guard !requests.isEmpty else { return "no request open" }
        var text = "request " + requests.prefix(Self.shown).map(\.description).joined(separator: ", ")
        if requests.count > Self.shown { text += " and \(requests.count - Self.shown) more" }
        for load in loads.prefix(Self.shown) { text += "; loading attachment \(load.provider) as \(load.type)" }
        return text
    }
}
