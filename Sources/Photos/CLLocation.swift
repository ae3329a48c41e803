// CLLocation: the place of an asset. Apple declares it in CoreLocation, which is not simulated.

public import Foundation

/// A coordinate in degrees. North and east are positive.
public struct CLLocationCoordinate2D: Sendable {
    public var latitude, longitude: Double
    public init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
}

/// A place on the earth. Safe to use from any thread.
open class CLLocation: NSObject, @unchecked Sendable {  // its property is constant
    public let coordinate: CLLocationCoordinate2D

    public init(latitude: Double, longitude: Double) {
        coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }
}
