// SharedDefaults: what UserDefaults(suiteName:) is for an app group.

public import Foundation
internal import ExtensionWire
internal import LinuxDescriptors
internal import PropertyListCoding

/// The defaults of an app group, shared by all processes that hold it. Made by `UserDefaults(suiteName:)`, one for each group and process.
///
/// A value set in one process is read in another at once; updates of several writers are not lost; a process killed at any moment leaves
/// all of a change or nothing. Any thread may call any member. Values are property lists: text, numbers, truth values, dates, data,
/// arrays and dictionaries of them; another one ends the program, as on Apple's systems. What cannot be kept (a full disk, a damaged
/// file, a lock that never comes free) is said on standard error and leaves what was there.
///
/// Looked up are the arguments of the program, the group, and what was registered, in this order (Apple's documentation of the
/// class); the app's own defaults and the language's are not among them here.
public final class SharedDefaults: UserDefaults {
    let store: GroupStore

    init(_ store: GroupStore) {
        self.store = store
        // Arguments and registered values are Foundation's own; its part of this object has a domain of that name, which stays empty.
        // Optional, or the name would mean the initialiser of UserDefaults+Suite.swift.
        super.init(suiteName: Optional("org.exthost.registered"))!
    }

    // MARK: Reading

    /// As a property list; nil where the value is not the group's.
    private func own(_ key: String) -> PropertyList? {
        argument(key) == nil ? store.values()[key] : nil
    }

    private func argument(_ key: String) -> Any? { super.volatileDomain(forName: UserDefaults.argumentDomain)[key] }

    /// The value in the form of Foundation's objects; nil where there is none.
    public override func object(forKey defaultName: String) -> Any? {
        if let argument = argument(defaultName) { return argument }
        return store.values()[defaultName].map(foundationValue) ?? super.object(forKey: defaultName)
    }

    /// Text, or a number in its decimal form.
    public override func string(forKey defaultName: String) -> String? {
        switch object(forKey: defaultName) {
        case let text as String: text
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    /// nil where there is none, or something else.
    public override func array(forKey defaultName: String) -> [Any]? { object(forKey: defaultName) as? [Any] }

    /// nil where there is none, or something else.
    public override func dictionary(forKey defaultName: String) -> [String: Any]? {
        object(forKey: defaultName) as? [String: Any]
    }

    /// nil where there is none, or something else.
    public override func data(forKey defaultName: String) -> Data? {
        if case .data(let bytes) = own(defaultName) { return Data(bytes) }
        return object(forKey: defaultName) as? Data
    }

    /// nil also where one of the elements is no text.
    public override func stringArray(forKey defaultName: String) -> [String]? { object(forKey: defaultName) as? [String] }

    /// A number, or the one that a text begins with; 0 otherwise.
    public override func integer(forKey defaultName: String) -> Int {
        switch object(forKey: defaultName) {
        case let text as String: NSString(string: text).integerValue
        case let number as NSNumber: number.intValue
        default: 0
        }
    }

    /// A number, or the one that a text begins with; 0 otherwise.
    public override func float(forKey defaultName: String) -> Float {
        switch object(forKey: defaultName) {
        case let text as String: NSString(string: text).floatValue
        case let number as NSNumber: number.floatValue
        default: 0
        }
    }

    /// A number, or the one that a text begins with; 0 otherwise.
    public override func double(forKey defaultName: String) -> Double {
        switch object(forKey: defaultName) {
        case let text as String: NSString(string: text).doubleValue
        case let number as NSNumber: number.doubleValue
        default: 0
        }
    }

    /// A number that is not 0, or the text `YES`, `true` or `1`, in any case of letters.
    public override func bool(forKey defaultName: String) -> Bool {
        switch object(forKey: defaultName) {
        case let text as String: ["yes", "true", "1"].contains(text.lowercased())
        case let number as NSNumber: number.doubleValue != 0
        default: false
        }
    }

    /// An address that `set(_:forKey:)` has kept, or the file of a path.
    public override func url(forKey defaultName: String) -> URL? {
        if let value = own(defaultName) { return DefaultsURL.url(value) }
        switch object(forKey: defaultName) {
        case let url as URL: return url
        case let path as String: return URL(fileURLWithPath: NSString(string: path).expandingTildeInPath)
        default: return nil
        }
    }

    /// All that can be read: registered values, the group's over them, and the arguments over both.
    public override func dictionaryRepresentation() -> [String: Any] {
        var all = super.dictionaryRepresentation()
        for (key, value) in foundationValues(store.values()) { all[key] = value }
        for (key, value) in super.volatileDomain(forName: UserDefaults.argumentDomain) { all[key] = value }
        return all
    }

    // MARK: Changing

    /// nil removes what is there.
    public override func set(_ value: Any?, forKey defaultName: String) {
        guard let value else { return removeObject(forKey: defaultName) }
        if type(of: value) is NSURL.Type || value is URL, let url = value as? URL { return set(url, forKey: defaultName) }
        do throws(UnsupportedValue) { set(try propertyList(value), defaultName) } catch { refuse(error, defaultName) }
    }

    /// In the file when this returns, or the reason on standard error.
    public override func set(_ value: Int, forKey defaultName: String) { set(.integer(Int64(value)), defaultName) }
    /// As a double; in the file when this returns, or the reason on standard error.
    public override func set(_ value: Float, forKey defaultName: String) { set(.real(Double(value)), defaultName) }
    /// In the file when this returns, or the reason on standard error.
    public override func set(_ value: Double, forKey defaultName: String) { set(.real(value), defaultName) }
    /// In the file when this returns, or the reason on standard error.
    public override func set(_ value: Bool, forKey defaultName: String) { set(.boolean(value), defaultName) }

    /// In the form of `docs/containers.md`; nil removes what is there.
    public override func set(_ url: URL?, forKey defaultName: String) {
        guard let url else { return removeObject(forKey: defaultName) }
        do throws(UnsupportedValue) { set(try DefaultsURL.propertyList(url), defaultName) } catch { refuse(error, defaultName) }
    }

    private func set(_ value: PropertyList, _ key: String) {
        change { values in
            // The same value needs no new file.
            if values[key] == value { return false }
            values[key] = value
            return true
        }
    }

    /// What is registered, or among the arguments, is read then.
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
        fatalError("UserDefaults of \(store.group): “\(key)” cannot be set to \(error): it is no property list")
    }

    /// Brings what was set onto the disk, which other processes need no call for. `false` when something since the last call could
    /// not be kept. Takes milliseconds; blocks the calling thread.
    @discardableResult
    public override func synchronize() -> Bool { store.synchronize() }

    /// Values of other suites are not looked up in a group's defaults, which is said once on standard error.
    public override func addSuite(named suiteName: String) {
        Unsupported.furtherSuites.tell()
        super.addSuite(named: suiteName)
    }

    // MARK: Domains

    /// That of the group: its values. Of any other name: Foundation's answer.
    public override func persistentDomain(forName domainName: String) -> [String: Any]? {
        guard domainName == store.group.text else { return super.persistentDomain(forName: domainName) }
        return foundationValues(store.values())
    }

    /// Of the group: replaces all its values in one change.
    public override func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
        guard domainName == store.group.text else { return super.setPersistentDomain(domain, forName: domainName) }
        var entries: PropertyListDictionary = [:]
        for (key, value) in domain {
            do throws(UnsupportedValue) { entries[key] = try propertyList(value, depth: 1) } catch { refuse(error, key) }
        }
        change { values in
            if values == entries { return false }
            values = entries
            return true
        }
    }

    /// Of the group: removes all its values in one change.
    public override func removePersistentDomain(forName domainName: String) {
        guard domainName == store.group.text else { return super.removePersistentDomain(forName: domainName) }
        setPersistentDomain([:], forName: domainName)
    }
}
