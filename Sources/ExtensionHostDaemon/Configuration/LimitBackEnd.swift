// LimitBackEnd: the means by which limits are enforced.

/// A back end that an operator or a test may ask for, best first.
public enum LimitBackEnd: String, Sendable, Hashable, CaseIterable {
    /// Control groups of version 2 (cgroups(7)).
    case cgroup2
    /// Control groups of version 1.
    case cgroup1
    /// `/proc`, polled while an extension serves, and limits of setrlimit(2).
    case poll
}
