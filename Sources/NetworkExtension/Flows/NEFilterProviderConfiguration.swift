// NEFilterProviderConfiguration: the values of a filter, which an app saves and its providers read.

import AppGroups
import ExtensionPointKit
public import Foundation
import PointMessages
import PropertyListCoding

/// The configuration of a filter.
open class NEFilterProviderConfiguration: NSObject, NSCopying {
    var value: FilterConfiguration
    /// Values that only the app and its providers know: property lists.
    open var vendorConfiguration: [String: Any]?
    /// The identifier of the data provider's extension, on macOS; nil: the app's only one.
    open var filterDataProviderBundleIdentifier: String?
    /// The identifier of a packet provider, on macOS. It has no effect.
    open var filterPacketProviderBundleIdentifier: String?
    /// Whether packets are filtered, on macOS. Such a configuration cannot be saved.
    open var filterPackets = false

    /// Makes a configuration that filters nothing.
    public override init() {
        value = FilterConfiguration()
        (value.filtersBrowsers, value.filtersSockets) = (false, false)
    }

    init(_ value: FilterConfiguration) {
        self.value = value
        vendorConfiguration = value.vendor?.plist.dictionary.map { foundationValues($0) }
    }

    /// Whether loads of web pages are filtered.
    open var filterBrowsers: Bool {
        get { value.filtersBrowsers }
        set { value.filtersBrowsers = newValue }
    }

    /// Whether connections of sockets are filtered.
    open var filterSockets: Bool {
        get { value.filtersSockets }
        set { value.filtersSockets = newValue }
    }

    /// The server of the filter.
    open var serverAddress: String? {
        get { value.serverAddress }
        set { value.serverAddress = newValue }
    }

    /// The user at the server.
    open var username: String? {
        get { value.username }
        set { value.username = newValue }
    }

    /// The organization that filters.
    open var organization: String? {
        get { value.organization }
        set { value.organization = newValue }
    }

    /// The place of the user's password.
    open var passwordReference: Data? {
        get { value.passwordReference.map { Data($0) } }
        set { value.passwordReference = newValue.map { Array($0) } }
    }

    /// The place of the user's certificate.
    open var identityReference: Data? {
        get { value.identityReference.map { Data($0) } }
        set { value.identityReference = newValue.map { Array($0) } }
    }

    /// The configuration as the host stores it.
    ///
    /// - Throws: if the values of the app are no property list.
    var message: FilterConfiguration {
        get throws {
            var message = value
            message.vendor = try vendorConfiguration.map { PointValue(try propertyList($0)) }
            return message
        }
    }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NEFilterProviderConfiguration(value)
        copy.vendorConfiguration = vendorConfiguration
        copy.filterDataProviderBundleIdentifier = filterDataProviderBundleIdentifier
        copy.filterPacketProviderBundleIdentifier = filterPacketProviderBundleIdentifier
        copy.filterPackets = filterPackets
        return copy
    }
}
