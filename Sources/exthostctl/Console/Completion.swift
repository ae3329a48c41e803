// Completion: what a shell offers beyond the words that the parser knows.

import ArgumentParser

extension CompletionKind {
    /// The identifiers of the registered extensions, asked of the daemon while one types; nothing where there is none.
    static var extensions: CompletionKind {
        .shellCommand("exthostctl list 2>/dev/null | sed -n 's/^[^A-Za-z0-9]*\\([A-Za-z0-9.-]*\\)(.*/\\1/p'")
    }
}
