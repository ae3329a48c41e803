// CSSearchableItemAttributeSet+Places: attributes of places.

public import Foundation

extension CSSearchableItemAttributeSet {
    public var headline: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var city: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var stateOrProvince: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var country: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var fullyFormattedAddress: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var postalCode: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var subThoroughfare: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var thoroughfare: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var namedLocation: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var altitude: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var latitude: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var longitude: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var speed: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var timestamp: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var imageDirection: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var gpsTrack: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var gpsStatus: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var gpsMeasureMode: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var gpsDOP: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var gpsMapDatum: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var gpsDestLatitude: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var gpsDestLongitude: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var gpsDestBearing: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var gpsDestDistance: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var gpsProcessingMethod: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var gpsAreaInformation: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var gpsDateStamp: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var gpsDifferental: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
}
