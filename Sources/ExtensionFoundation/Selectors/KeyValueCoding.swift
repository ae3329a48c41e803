// KeyValueCoding: access to properties by their names, as far as the tables of methods have them.

public import Foundation

/// An object that stores a value under any key, as animations do.
package protocol KeyValueContainer: NSObject {
    var storedValues: [String: Any] { get set }
}

extension NSObject {
    /// Sets a property that Objective-C would see, by the method `setName:` of its class's table.
    ///
    /// An object without the method ends the process, as on Apple's systems. The properties of a dictionary are its
    /// entries.
    @_disfavoredOverload public final func setValue(_ value: Any?, forKey key: String) {
        if let entries = self as? NSMutableDictionary {
            return if let value { entries[key] = value } else { entries.removeObject(forKey: key) }
        }
        let setter = Selector("set\(key.prefix(1).uppercased())\(key.dropFirst()):")
        guard SelectorCall.responds(self, to: setter) else {
            guard let container = self as? any KeyValueContainer else { unknown(key) }
            return container.storedValues[key] = value
        }
        SelectorCall.call(self, setter, [value])
    }

    /// Returns the value of such a property; nil if the value is nil.
    @_disfavoredOverload public final func value(forKey key: String) -> Any? {
        if let entries = self as? NSDictionary { return entries[key] }
        guard SelectorCall.responds(self, to: Selector(key)) else {
            guard let container = self as? any KeyValueContainer else { unknown(key) }
            return container.storedValues[key]
        }
        return SelectorCall.call(self, Selector(key))
    }

    private func unknown(_ key: String) -> Never {
        fatalError(
            "[<\(String(reflecting: type(of: self)))> valueForUndefinedKey:]: the class has no property “\(key)” that is marked "
                + "@objc or @IBOutlet")
    }
}
