// TextEntry: whether a person can enter text in this process.

/// Frameworks of extension points without a keyboard switch it off.
@MainActor package enum TextEntry {
    /// Whether texts become the first responder.
    package static var isPossible = true
}
