// UserDefaults+Suite: UserDefaults(suiteName:) for app groups, and the key-value names that Foundation has not here.

public import Foundation
internal import ExtensionWire

/// Only to declare `UserDefaults(suiteName:)` on: an initialiser of a protocol's extension may give any object of the class.
public protocol SuiteOpening {}

extension UserDefaults: SuiteOpening {}

extension SuiteOpening where Self: UserDefaults {
    /// The defaults of an app group, as on Apple's systems, and for any other name Foundation's own.
    ///
    /// Foundation's initialiser takes an optional name; this one does not, and so is meant wherever the argument is a `String`. For a
    /// `String?` the compiler chooses Foundation's, whose defaults are not safe between processes: unwrap it first.
    ///
    /// - Returns: nil for the name of a group that this process does not hold, with one line on standard error that says what is
    ///   missing. One object for each group and process, of class `SharedDefaults`.
    public init?(suiteName: String) {
        guard suiteName.hasPrefix("group.") else {
            guard let plain = UserDefaults(suiteName: Optional(suiteName)) as? Self else { return nil }
            self = plain
            return
        }
        guard let shared = OpenSuites.defaults(of: suiteName) as? Self else { return nil }
        self = shared
    }
}

extension UserDefaults {
    /// `set(_:forKey:)` by the name that key-value coding has for it, which Foundation has not here. nil removes what is there.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// `object(forKey:)` by the name that key-value coding has for it, which Foundation has not here.
    public func value(forKey key: String) -> Any? { object(forKey: key) }
}
