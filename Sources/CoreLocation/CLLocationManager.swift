// CLLocationManager, CLGeocoder: the answers of a device whose location services are off.

public import Foundation

public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
public let kCLDistanceFilterNone: CLLocationDistance = -1
public let kCLErrorDomain = "kCLErrorDomain"

/// Whether an app may know where its device is. Here it is always denied.
public enum CLAuthorizationStatus: Int32, Sendable {
    case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse
}

/// The reason why a place is not known.
public struct CLError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case locationUnknown, denied, network, headingFailure, regionMonitoringDenied, regionMonitoringFailure
        case regionMonitoringSetupDelayed, regionMonitoringResponseDelayed, geocodeFoundNoResult
        case geocodeFoundPartialResult, geocodeCanceled

        public static func ~= (code: Code, error: any Error) -> Bool { (error as? CLError)?.code == code }
    }

    public let code: Code
    /// Makes the error of a code.
    public init(_ code: Code) { self.code = code }
    public static var errorDomain: String { kCLErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: "notSimulated: this device has no location services"]
    }
    public static var locationUnknown: Code { .locationUnknown }
    public static var denied: Code { .denied }
    public static var network: Code { .network }
}

/// The observer of a manager. Every method has a body, in place of Objective-C's optional ones.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
}

/// A manager of a device whose location services are off.
///
/// Its authorization is denied. Each start or request for a location tells the delegate once, on the main queue, that
/// it failed with `CLError.denied`. Its other values are kept.
open class CLLocationManager: NSObject {
    open weak var delegate: (any CLLocationManagerDelegate)?
    open var desiredAccuracy = kCLLocationAccuracyBest
    open var distanceFilter = kCLDistanceFilterNone
    open var pausesLocationUpdatesAutomatically = true
    open var allowsBackgroundLocationUpdates = false
    /// Nil: no place is known.
    open var location: CLLocation? { nil }
    open var authorizationStatus: CLAuthorizationStatus { .denied }

    public override init() { super.init() }

    open class func locationServicesEnabled() -> Bool { false }
    open class func authorizationStatus() -> CLAuthorizationStatus { .denied }

    /// Has no effect: the authorization is denied already, so nobody is asked.
    open func requestWhenInUseAuthorization() {}
    /// Has no effect, as `requestWhenInUseAuthorization()`.
    open func requestAlwaysAuthorization() {}

    open func startUpdatingLocation() { refuse() }
    open func requestLocation() { refuse() }
    open func startMonitoringSignificantLocationChanges() { refuse() }
    /// Has no effect: nothing is measured.
    open func stopUpdatingLocation() {}
    open func stopMonitoringSignificantLocationChanges() {}

    private func refuse() {
        nonisolated(unsafe) let manager = self  // its delegate is called where its callers expect it
        DispatchQueue.main.async { manager.delegate?.locationManager(manager, didFailWithError: CLError(.denied)) }
    }
}

/// A place with names. None is made here.
open class CLPlacemark: NSObject, @unchecked Sendable {  // its properties are constant
    public let location: CLLocation? = nil
    public let name: String? = nil
    public let locality: String? = nil
    public let subLocality: String? = nil
    public let administrativeArea: String? = nil
    public let postalCode: String? = nil
    public let country: String? = nil
    public let isoCountryCode: String? = nil
    public let thoroughfare: String? = nil
    public let subThoroughfare: String? = nil
}

public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// A finder of names for places. Each request fails with `CLError.network`, on the main queue.
open class CLGeocoder: NSObject {
    open var isGeocoding: Bool { false }
    public override init() { super.init() }

    open func reverseGeocodeLocation(
        _ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler
    ) { refuse(completionHandler) }
    open func geocodeAddressString(
        _ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler
    ) { refuse(completionHandler) }
    /// Has no effect: no request is open.
    open func cancelGeocode() {}

    private func refuse(_ completion: @escaping CLGeocodeCompletionHandler) {
        nonisolated(unsafe) let completion = completion  // called on the main queue only
        DispatchQueue.main.async { completion(nil, CLError(.network)) }
    }
}
