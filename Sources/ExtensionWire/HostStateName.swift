// HostStateName and HostNotification: where a host application stands, and what is announced between.

/// The state of a host application (spec 1.7).
public enum HostStateName: String, Sendable, Hashable, CaseIterable, WireValue {
    case active, inactive, background
}

/// The four announcements of spec 1.7, in the names of the bus signals.
public enum HostNotification: String, Sendable, Hashable, CaseIterable, WireValue {
    case willResignActive = "HostWillResignActive"
    case didEnterBackground = "HostDidEnterBackground"
    case willEnterForeground = "HostWillEnterForeground"
    case didBecomeActive = "HostDidBecomeActive"
}
