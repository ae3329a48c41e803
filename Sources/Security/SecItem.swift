// SecItem: the four functions of the keychain.

public import CoreFoundationNames
public import Foundation
internal import PropertyListCoding

/// Adds a password to the keychain.
///
/// The keychain is a file in the container of the app or extension. An item whose access group is an app group of the
/// process is in that group's container instead, so that an app and its extensions share it. There is no encryption:
/// the file has mode 0600. Any thread may call; the call waits at most 3 s for other processes.
///
/// - Parameters:
///   - attributes: the class, attributes and data of the item, and what to return.
///   - result: gets what the attributes ask for.
/// - Returns: `errSecSuccess` or the reason why the item was not added. A line on standard error explains those that
///   come from a file. Keys, certificates and identities are not simulated (`errSecUnimplemented`).
@discardableResult public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{
    status {
        () throws(KeychainFault) in
        let query = try KeychainQuery(attributes)
        guard let kind = query.kind else { throw KeychainFault(errSecParam) }
        guard !query.isForeignClass else { throw KeychainQuery.notSimulated("items of the class “\(kind)”") }
        guard query.sharing != .any, query.reference == nil else { throw KeychainFault(errSecParam) }
        let keychain = try keychain()
        let group = query.group ?? keychain.own
        var values = query.values
        values[kSecClass] = .string(kind)
        if query.sharing == .shared { values[kSecAttrSynchronizable] = .integer(1) }
        values[kSecValueData] = query.data.map { .data($0) }
        if values[kSecAttrAccessible] == nil { values[kSecAttrAccessible] = .string(kSecAttrAccessibleWhenUnlocked) }
        let now = PropertyList.date(Date().timeIntervalSinceReferenceDate)
        for date in [kSecAttrCreationDate, kSecAttrModificationDate] where values[date] == nil { values[date] = now }
        let item = KeychainItem(values)
        try keychain.change(try keychain.groups(named: group)) { (contents) throws(KeychainFault) in
            guard !contents[0].items.contains(where: { $0.isSame(as: item) }) else {
                throw KeychainFault(errSecDuplicateItem)
            }
            return [group: Keychain.Change(put: [item])]
        }
        result?.pointee = query.result(item, in: group)
    }
}

/// Finds passwords in the keychain.
///
/// Without an access group, the own keychain and those of all app groups are searched, in this order.
///
/// - Parameters:
///   - query: the class and attributes to match, the limit, and what to return.
///   - result: gets one result, or an array of all if the limit is more than one.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, or the reason why the keychain cannot be read.
@discardableResult public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{
    status {
        () throws(KeychainFault) in
        let query = try KeychainQuery(query)
        let keychain = try keychain()
        let found = try query.matching(try keychain.read(try keychain.groups(named: query.group)))
        switch query.limit {
        case .one: result?.pointee = query.result(found[0].item, in: found[0].group)
        case .many(let most):
            let results = found.prefix(most).compactMap { query.result($0.item, in: $0.group) }
            result?.pointee = results.isEmpty ? nil : NSArray(array: results)
        }
    }
}

/// Changes all passwords that match a query.
///
/// - Parameters:
///   - query: the class and attributes to match.
///   - attributes: the values that change. Another access group moves the item there.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, or the reason why nothing has changed: all items change or none.
@discardableResult public func SecItemUpdate(_ query: CFDictionary, _ attributes: CFDictionary) -> OSStatus {
    status {
        () throws(KeychainFault) in
        let (query, update) = (try KeychainQuery(query), try KeychainQuery(attributes))
        guard update.kind == nil, update.reference == nil, update.sharing != .any, attributes.count > 0 else {
            throw KeychainFault(errSecParam)
        }
        let keychain = try keychain()
        let target = try update.group.map { (name) throws(KeychainFault) in try keychain.groups(named: name)[0] }
        let searched = try keychain.groups(named: query.group)
        let groups = Set(searched + [target].compactMap { $0 })
        try keychain.change(Array(groups)) { (contents) throws(KeychainFault) in
            let found = try query.matching(contents.filter { searched.contains($0.group) })
            var changes: [String: Keychain.Change] = [:]
            for (item, group) in found {
                let (changed, place) = (update.updating(item), target ?? group)
                if place != group { changes[group, default: Keychain.Change()].removed.insert(item.id) }
                changes[place, default: Keychain.Change()].put.append(changed)
            }
            let ids = Set(found.map(\.item.id))
            for content in contents {
                let put = changes[content.group]?.put ?? []
                let all = content.items.filter { !ids.contains($0.id) } + put
                for (index, item) in put.enumerated()
                where all.dropLast(put.count - index).contains(where: { $0.isSame(as: item) && $0.id != item.id }) {
                    throw KeychainFault(errSecDuplicateItem)
                }
            }
            return changes
        }
    }
}

/// Deletes all passwords that match a query.
///
/// A query without `kSecAttrSynchronizable` leaves the synchronized password of the same account.
///
/// - Parameter query: the class and attributes to match.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, or the reason why nothing was deleted: all items go or none.
@discardableResult public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    status {
        () throws(KeychainFault) in
        let query = try KeychainQuery(query)
        let keychain = try keychain()
        try keychain.change(try keychain.groups(named: query.group)) { (contents) throws(KeychainFault) in
            var changes: [String: Keychain.Change] = [:]
            for (item, group) in try query.matching(contents) {
                changes[group, default: Keychain.Change()].removed.insert(item.id)
            }
            return changes
        }
    }
}

private func status(_ body: () throws(KeychainFault) -> Void) -> OSStatus {
    do throws(KeychainFault) {
        try body()
        return errSecSuccess
    } catch { return error.status }
}

private func keychain() throws(KeychainFault) -> Keychain {
    guard let keychain = Keychain.current() else {
        KeychainQuery.say("there is no folder for the keychain: set HOME to an absolute path")
        throw KeychainFault(errSecNotAvailable)
    }
    return keychain
}

extension KeychainQuery {
    /// Returns the items that the query describes, at least one.
    fileprivate func matching(_ contents: [Keychain.Content]) throws(KeychainFault) -> [(
        item: KeychainItem, group: String
    )] {
        guard kind != nil || reference != nil else { throw KeychainFault(errSecParam) }
        let found = contents.flatMap { content in
            content.items.filter(matches).map { (item: $0, group: content.group) }
        }
        guard !found.isEmpty else { throw KeychainFault(errSecItemNotFound) }
        return found
    }

    /// Returns an item with these values instead of its own.
    fileprivate func updating(_ item: KeychainItem) -> KeychainItem {
        var item = item
        for (name, value) in values { item.values[name] = value }
        if let data { item.values[kSecValueData] = .data(data) }
        if let sharing { item.values[kSecAttrSynchronizable] = sharing == .shared ? .integer(1) : nil }
        if values[kSecAttrModificationDate] == nil {
            item.values[kSecAttrModificationDate] = .date(Date().timeIntervalSinceReferenceDate)
        }
        return item
    }

    /// Returns what the query asks for of an item; nil if it asks for nothing.
    fileprivate func result(_ item: KeychainItem, in group: String) -> CFTypeRef? {
        let data = NSData(data: Data(item.values[kSecValueData]?.data ?? []))
        let reference = NSData(data: Self.reference(to: item))
        guard returnsAttributes || (returnsData && returnsReference) else {
            return returnsData ? data : returnsReference ? reference : nil
        }
        var facts: [String: Any] = [:]
        if returnsAttributes {
            for (name, value) in item.values where name != kSecValueData { facts[name] = value.foundation }
            facts[kSecAttrAccessGroup] = group
            facts[kSecAttrSynchronizable] = item.values[kSecAttrSynchronizable]?.integer ?? 0
        }
        if returnsData { facts[kSecValueData] = data }
        if returnsReference { facts[kSecValuePersistentRef] = reference }
        return NSDictionary(dictionary: facts)
    }
}

extension PropertyList {
    /// The value as an object of Foundation.
    fileprivate var foundation: Any {
        switch self {
        case .string(let text): text
        case .data(let bytes): Data(bytes)
        case .integer(let number): NSNumber(value: number)
        case .boolean(let flag): NSNumber(value: flag)
        case .real(let number): NSNumber(value: number)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .array(let values): values.map(\.foundation)
        case .dictionary(let values): Dictionary(uniqueKeysWithValues: values.map { ($0, $1.foundation) })
        }
    }
}
