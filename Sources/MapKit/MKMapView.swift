// MKMapView: a map that is not drawn, with its regions and annotations as values.

public import CoreLocation
public import Foundation
public import UIKit

/// The height and width of a region, in degrees.
public struct MKCoordinateSpan: Sendable {
    public var latitudeDelta, longitudeDelta: CLLocationDegrees
    public init() { self.init(latitudeDelta: 0, longitudeDelta: 0) }
    public init(latitudeDelta: CLLocationDegrees, longitudeDelta: CLLocationDegrees) {
        (self.latitudeDelta, self.longitudeDelta) = (latitudeDelta, longitudeDelta)
    }
}

/// A part of a map: its middle and its size.
public struct MKCoordinateRegion: Sendable {
    public var center: CLLocationCoordinate2D
    public var span: MKCoordinateSpan
    public init() { self.init(center: CLLocationCoordinate2D(), span: MKCoordinateSpan()) }
    public init(center: CLLocationCoordinate2D, span: MKCoordinateSpan) { (self.center, self.span) = (center, span) }

    /// Makes a region of a size in metres, on a sphere with the earth's mean radius (ours).
    ///
    /// - Parameters:
    ///   - center: the middle.
    ///   - latitudinalMeters: the height.
    ///   - longitudinalMeters: the width.
    public init(
        center: CLLocationCoordinate2D, latitudinalMeters: CLLocationDistance, longitudinalMeters: CLLocationDistance
    ) {
        let degree: Double = 6_371_008.8 * Double.pi / 180
        let narrow: Double = max(cos(center.latitude * Double.pi / 180), 1e-6)
        self.init(
            center: center,
            span: MKCoordinateSpan(
                latitudeDelta: latitudinalMeters / degree,
                longitudeDelta: min(longitudinalMeters / (degree * narrow), 360)))
    }
}

/// A size in degrees.
public func MKCoordinateSpanMake(
    _ latitudeDelta: CLLocationDegrees, _ longitudeDelta: CLLocationDegrees
) -> MKCoordinateSpan { MKCoordinateSpan(latitudeDelta: latitudeDelta, longitudeDelta: longitudeDelta) }

/// A region.
public func MKCoordinateRegionMake(_ center: CLLocationCoordinate2D, _ span: MKCoordinateSpan) -> MKCoordinateRegion {
    MKCoordinateRegion(center: center, span: span)
}

/// A region of a size in metres.
public func MKCoordinateRegionMakeWithDistance(
    _ center: CLLocationCoordinate2D, _ latitudinalMeters: CLLocationDistance, _ longitudinalMeters: CLLocationDistance
) -> MKCoordinateRegion {
    MKCoordinateRegion(
        center: center, latitudinalMeters: latitudinalMeters, longitudinalMeters: longitudinalMeters)
}

/// A mark on a map.
public protocol MKAnnotation: NSObjectProtocol {
    var coordinate: CLLocationCoordinate2D { get }
    var title: String? { get }
    var subtitle: String? { get }
}

extension MKAnnotation {
    public var title: String? { nil }
    public var subtitle: String? { nil }
}

/// A mark with a title.
open class MKPointAnnotation: NSObject, MKAnnotation {
    open var coordinate: CLLocationCoordinate2D
    open var title: String?
    open var subtitle: String?

    public override init() { coordinate = CLLocationCoordinate2D() }
    /// - Parameters:
    ///   - coordinate: the place.
    ///   - title: the title.
    ///   - subtitle: the second line.
    public init(coordinate: CLLocationCoordinate2D, title: String? = nil, subtitle: String? = nil) {
        (self.coordinate, self.title, self.subtitle) = (coordinate, title, subtitle)
    }
}

/// The kinds of a map. They have no effect.
public enum MKMapType: UInt, Sendable {
    case standard, satellite, hybrid, satelliteFlyover, hybridFlyover, mutedStandard
}

/// The observer of a map. Nothing loads or moves here, so it is not called.
@MainActor @preconcurrency public protocol MKMapViewDelegate: NSObjectProtocol {}

/// A view without a map: no map data exist here. It keeps its region and its annotations.
@MainActor @preconcurrency open class MKMapView: UIView {
    open weak var delegate: (any MKMapViewDelegate)?
    open var mapType = MKMapType.standard
    /// The shown part.
    open var region = MKCoordinateRegion()
    /// The middle of the shown part.
    open var centerCoordinate: CLLocationCoordinate2D {
        get { region.center }
        set { region.center = newValue }
    }
    /// Has no effect: no place of the device is known.
    open var showsUserLocation = false
    open var isZoomEnabled = true
    open var isScrollEnabled = true
    open var isRotateEnabled = true
    open var isPitchEnabled = true
    open private(set) var annotations: [any MKAnnotation] = []

    open func setRegion(_ region: MKCoordinateRegion, animated: Bool) { self.region = region }
    open func setCenter(_ coordinate: CLLocationCoordinate2D, animated: Bool) { centerCoordinate = coordinate }
    /// Adds a mark, which a map has once.
    open func addAnnotation(_ annotation: any MKAnnotation) {
        if !annotations.contains(where: { $0 === annotation }) { annotations.append(annotation) }
    }
    open func addAnnotations(_ annotations: [any MKAnnotation]) { annotations.forEach(addAnnotation) }
    open func removeAnnotation(_ annotation: any MKAnnotation) { annotations.removeAll { $0 === annotation } }
    open func removeAnnotations(_ removed: [any MKAnnotation]) {
        annotations.removeAll { known in removed.contains { $0 === known } }
    }

    /// Shows the part of the map that has all these annotations, which are added.
    ///
    /// - Parameters:
    ///   - annotations: the annotations.
    ///   - animated: no effect.
    open func showAnnotations(_ annotations: [any MKAnnotation], animated: Bool) {
        let (north, east) = (annotations.map(\.coordinate.latitude), annotations.map(\.coordinate.longitude))
        guard let south = north.min(), let top = north.max(), let west = east.min(), let right = east.max() else {
            return
        }
        addAnnotations(annotations)
        region = MKCoordinateRegion(
            center: CLLocationCoordinate2D(latitude: (south + top) / 2, longitude: (west + right) / 2),
            span: MKCoordinateSpan(latitudeDelta: top - south, longitudeDelta: right - west))
    }
}
