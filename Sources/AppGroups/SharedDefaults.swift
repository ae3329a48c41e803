// SharedDefaults: the class behind UserDefaults(suiteName:) for an app group.

public import Foundation
internal import ExtensionWire
internal import LinuxDescriptors
internal import PropertyListCoding

/// The defaults of an app group, shared by all processes that hold it.
///
/// `UserDefaults(suiteName:)` makes one object for each group and process. A value set in one process is read in
/// another at once. Updates of several writers are not lost. A process killed at any time leaves either all of a change
/// or nothing. Any thread may call any member.
///
/// Values are property lists: text, numbers, truth values, dates, data, arrays and dictionaries of them. Any other
/// value ends the program, as on Apple's systems. If a value cannot be stored (a full disk, a damaged file, a lock that
/// never becomes free), the failure is logged to standard error, and the old value stays.
///
/// A lookup searches the arguments of the program, the group, and the registered values, in this order (Apple's
/// documentation of the class). The app's own defaults and the language's are not searched here.
public final class SharedDefaults: UserDefaults {
    let store: GroupStore

    init(_ store: GroupStore) {
        self.store = store
        // Foundation stores the arguments and registered values; its part of this object has a domain of that name,
        // which stays empty. The name is optional, as otherwise it would select the initialiser of
        // UserDefaults+Suite.swift.
        super.init(suiteName: Optional("org.exthost.registered"))!
    }

    // MARK: Reading

    /// Returns the value as a property list; nil if the value does not come from the group.
    private func own(_ key: String) -> PropertyList? {
        argument(key) == nil ? store.values()[key] : nil
    }

    private func argument(_ key: String) -> Any? { super.volatileDomain(forName: UserDefaults.argumentDomain)[key] }

    /// Returns the value in the form of Foundation's objects; nil if there is none.
    public override func object(forKey defaultName: String) -> Any? {
        if let argument = argument(defaultName) { return argument }
        return store.values()[defaultName].map(foundationValue) ?? super.object(forKey: defaultName)
    }

    /// Returns the value as text; a number in its decimal form.
    public override func string(forKey defaultName: String) -> String? {
        switch object(forKey: defaultName) {
        case let text as String: text
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    /// Returns the value; nil if there is none, or if it is no array.
    public override func array(forKey defaultName: String) -> [Any]? { object(forKey: defaultName) as? [Any] }

    /// Returns the value; nil if there is none, or if it is no dictionary.
    public override func dictionary(forKey defaultName: String) -> [String: Any]? {
        object(forKey: defaultName) as? [String: Any]
    }

    /// Returns the value; nil if there is none, or if it is no data.
    public override func data(forKey defaultName: String) -> Data? {
        if case .data(let bytes) = own(defaultName) { return Data(bytes) }
        return object(forKey: defaultName) as? Data
    }

    /// Returns the value; nil also if one of the elements is no text.
    public override func stringArray(forKey defaultName: String) -> [String]? {
        object(forKey: defaultName) as? [String]
    }

    /// Returns the value if it is a number, or the number that a text begins with; 0 otherwise.
    public override func integer(forKey defaultName: String) -> Int {
        switch object(forKey: defaultName) {
        case let text as String: NSString(string: text).integerValue
        case let number as NSNumber: number.intValue
        default: 0
        }
    }

    /// Returns the value if it is a number, or the number that a text begins with; 0 otherwise.
    public override func float(forKey defaultName: String) -> Float {
        switch object(forKey: defaultName) {
        case let text as String: NSString(string: text).floatValue
        case let number as NSNumber: number.floatValue
        default: 0
        }
    }

    /// Returns the value if it is a number, or the number that a text begins with; 0 otherwise.
    public override func double(forKey defaultName: String) -> Double {
        switch object(forKey: defaultName) {
        case let text as String: NSString(string: text).doubleValue
        case let number as NSNumber: number.doubleValue
        default: 0
        }
    }

    /// Returns `true` for a number that is not 0, or the text `YES`, `true` or `1`, in any case of letters.
    public override func bool(forKey defaultName: String) -> Bool {
        switch object(forKey: defaultName) {
        case let text as String: ["yes", "true", "1"].contains(text.lowercased())
        case let number as NSNumber: number.doubleValue != 0
        default: false
        }
    }

    /// Returns the address that `set(_:forKey:)` stored, or the file of a path.
    public override func url(forKey defaultName: String) -> URL? {
        if let value = own(defaultName) { return DefaultsURL.url(value) }
        switch object(forKey: defaultName) {
        case let url as URL: return url
        case let path as String: return URL(fileURLWithPath: NSString(string: path).expandingTildeInPath)
        default: return nil
        }
    }

    /// Returns all values that can be read: the registered ones, replaced by the group's, and both replaced by the
    /// arguments.
    public override func dictionaryRepresentation() -> [String: Any] {
        var all = super.dictionaryRepresentation()
        for (key, value) in foundationValues(store.values()) { all[key] = value }
        for (key, value) in super.volatileDomain(forName: UserDefaults.argumentDomain) { all[key] = value }
        return all
    }

    // MARK: Changing

    /// Sets the value; nil removes it.
    public override func set(_ value: Any?, forKey defaultName: String) {
        guard let value else { return removeObject(forKey: defaultName) }
        if type(of: value) is NSURL.Type || value is URL, let url = value as? URL {
            return set(url, forKey: defaultName)
        }
        do throws(UnsupportedValue) { set(try propertyList(value), defaultName) } catch { refuse(error, defaultName) }
    }

    /// Sets the value before it returns; logs a failure to standard error.
    public override func set(_ value: Int, forKey defaultName: String) { set(.integer(Int64(value)), defaultName) }
    /// Sets the value as a double before it returns; logs a failure to standard error.
    public override func set(_ value: Float, forKey defaultName: String) { set(.real(Double(value)), defaultName) }
    /// Sets the value before it returns; logs a failure to standard error.
    public override func set(_ value: Double, forKey defaultName: String) { set(.real(value), defaultName) }
    /// Sets the value before it returns; logs a failure to standard error.
    public override func set(_ value: Bool, forKey defaultName: String) { set(.boolean(value), defaultName) }

    /// Sets the address in the form of `docs/containers.md`; nil removes it.
    public override func set(_ url: URL?, forKey defaultName: String) {
        guard let url else { return removeObject(forKey: defaultName) }
        do throws(UnsupportedValue) { set(try DefaultsURL.propertyList(url), defaultName) } catch {
            refuse(error, defaultName)
        }
    }

    private func set(_ value: PropertyList, _ key: String) {
        change { values in
            // The same value needs no new file.
            if values[key] == value { return false }
            values[key] = value
            return true
        }
    }

    /// Removes the group's value; afterwards a read returns the registered value or the argument.
    public override func removeObject(forKey defaultName: String) {
        change { values in
            guard values[defaultName] != nil else { return false }
            values[defaultName] = nil
            return true
        }
    }

    private func change(_ edit: (inout PropertyListDictionary) -> Bool) {
        if store.change(edit) { announce() }
    }

    func announce() { NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self) }

    private func refuse(_ error: UnsupportedValue, _ key: String) -> Never {
        fatalError("UserDefaults of \(store.group): “\(key)” cannot be set to \(error): it is not a property list")
    }

    /// Writes what was set to the disk, which other processes need no call for.
    ///
    /// Returns `false` if something since the last call could not be stored. Takes milliseconds; blocks the calling
    /// thread.
    @discardableResult
    public override func synchronize() -> Bool { store.synchronize() }

    /// Ignores the name and logs once that a group's defaults do not contain values of other suites.
    public override func addSuite(named suiteName: String) {
        Unsupported.furtherSuites.tell()
        super.addSuite(named: suiteName)
    }

    // MARK: Domains

    /// Returns the group's values for the group's name, and Foundation's answer for any other name.
    public override func persistentDomain(forName domainName: String) -> [String: Any]? {
        guard domainName == store.group.text else { return super.persistentDomain(forName: domainName) }
        return foundationValues(store.values())
    }

    /// Replaces all values of the group in one change if the name is the group's.
    public override func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
        guard domainName == store.group.text else { return super.setPersistentDomain(domain, forName: domainName) }
        var entries: PropertyListDictionary = [:]
        for (key, value) in domain {
            do throws(UnsupportedValue) { entries[key] = try propertyList(value, depth: 1) } catch {
                refuse(error, key)
            }
        }
        change { values in
            if values == entries { return false }
            values = entries
            return true
        }
    }

    /// Removes all values of the group in one change if the name is the group's.
    public override func removePersistentDomain(forName domainName: String) {
        guard domainName == store.group.text else { return super.removePersistentDomain(forName: domainName) }
        setPersistentDomain([:], forName: domainName)
    }
}
