// UserDefaults+Suite: UserDefaults(suiteName:) for app groups, and the key-value names that Foundation lacks here.

public import Foundation
internal import ExtensionWire

/// A protocol that declares `UserDefaults(suiteName:)`: an initialiser of a protocol's extension may return any object
/// of the class.
public protocol SuiteOpening {}

extension UserDefaults: SuiteOpening {}

extension SuiteOpening where Self: UserDefaults {
    /// Makes the defaults of an app group, as on Apple's systems, and for any other name Foundation's own.
    ///
    /// A name is a group's if it begins with `group.`, or if the process holds a group of this name.
    ///
    /// Foundation's initialiser takes an optional name; this one does not, so the compiler chooses it for a `String`.
    /// For a `String?` it chooses Foundation's, whose defaults are not safe between processes: unwrap the name first.
    ///
    /// - Returns: one object for each group and process, of class `SharedDefaults`. A group that this process does not
    ///   hold gives Foundation's defaults of that name, which are a file of the home folder. Other programs share that
    ///   file only if they have the same home folder. For a name with `group.`, one line on standard error says what is
    ///   missing.
    public init?(suiteName: String) {
        let isGroup = suiteName.hasPrefix("group.") || HeldGroups.current.holds(suiteName)
        let shared = isGroup ? OpenSuites.defaults(of: suiteName) : nil
        guard let found = shared ?? UserDefaults(suiteName: Optional(suiteName)), let own = found as? Self else {
            return nil
        }
        self = own
    }
}

extension UserDefaults {
    /// Sets a value like `set(_:forKey:)`, under the name of key-value coding, which Foundation lacks here. nil removes
    /// it.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// Returns a value like `object(forKey:)`, under the name of key-value coding, which Foundation lacks here.
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Sets a value under a key path. A path with dots would change a stored dictionary, which ends the process, as on
    /// Apple's systems.
    public func setValue(_ value: Any?, forKeyPath path: String) {
        precondition(!path.contains("."), "the value of \(path) is in a dictionary, which cannot be changed")
        set(value, forKey: path)
    }

    /// Returns the value of a key under the name of key-value coding. A path with dots, into a dictionary, gives nil.
    public func value(forKeyPath path: String) -> Any? { path.contains(".") ? nil : object(forKey: path) }
}
