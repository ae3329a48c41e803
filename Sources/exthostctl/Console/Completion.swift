// Completion: completions for shells beyond the words that the parser knows.

import ArgumentParser

extension CompletionKind {
    /// The identifiers of the registered extensions, which the shell requests from the daemon while the user types.
    /// Empty without a daemon.
    static var extensions: CompletionKind {
        .shellCommand("exthostctl list 2>/dev/null | sed -n 's/^[^A-Za-z0-9]*\\([A-Za-z0-9.-]*\\)(.*/\\1/p'")
    }
}
