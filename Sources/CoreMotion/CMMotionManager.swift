// CMMotionManager: the sensors of a device that has none.

@_exported public import Foundation

/// An acceleration in multiples of the earth's.
public struct CMAcceleration: Sendable {
    public var x, y, z: Double
    public init() { (x, y, z) = (0, 0, 0) }
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A rotation in radians a second.
public struct CMRotationRate: Sendable {
    public var x, y, z: Double
    public init() { (x, y, z) = (0, 0, 0) }
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A measurement. None is made here.
open class CMLogItem: NSObject {
    /// The seconds since the start of the device.
    public let timestamp: TimeInterval
    init(_ timestamp: TimeInterval) { self.timestamp = timestamp }
}

/// A measurement of the acceleration.
open class CMAccelerometerData: CMLogItem {
    public let acceleration = CMAcceleration()
}

/// A measurement of the rotation.
open class CMGyroData: CMLogItem {
    public let rotationRate = CMRotationRate()
}

/// The position of a device in space, in radians.
open class CMAttitude: NSObject {
    public let roll = 0.0
    public let pitch = 0.0
    public let yaw = 0.0
}

/// A measurement of the motion by all sensors.
open class CMDeviceMotion: CMLogItem {
    public let attitude = CMAttitude()
    public let gravity = CMAcceleration()
    public let userAcceleration = CMAcceleration()
    public let rotationRate = CMRotationRate()
}

public typealias CMAccelerometerHandler = (CMAccelerometerData?, (any Error)?) -> Void
public typealias CMGyroHandler = (CMGyroData?, (any Error)?) -> Void
public typealias CMDeviceMotionHandler = (CMDeviceMotion?, (any Error)?) -> Void

/// A manager of a device without sensors: none is available, and no update starts.
///
/// The intervals are kept. Each start with a handler calls the handler once, with an error whose words begin with
/// `notSimulated`.
open class CMMotionManager: NSObject {
    open var accelerometerUpdateInterval: TimeInterval = 0
    open var gyroUpdateInterval: TimeInterval = 0
    open var deviceMotionUpdateInterval: TimeInterval = 0
    open var isAccelerometerAvailable: Bool { false }
    open var isGyroAvailable: Bool { false }
    open var isMagnetometerAvailable: Bool { false }
    open var isDeviceMotionAvailable: Bool { false }
    open var isAccelerometerActive: Bool { false }
    open var isGyroActive: Bool { false }
    open var isDeviceMotionActive: Bool { false }
    open var accelerometerData: CMAccelerometerData? { nil }
    open var gyroData: CMGyroData? { nil }
    open var deviceMotion: CMDeviceMotion? { nil }

    public override init() { super.init() }

    open func startAccelerometerUpdates() {}
    open func startAccelerometerUpdates(to queue: OperationQueue, withHandler handler: @escaping CMAccelerometerHandler)
    { Self.refuse(queue) { handler(nil, $0) } }
    open func stopAccelerometerUpdates() {}
    open func startGyroUpdates() {}
    open func startGyroUpdates(to queue: OperationQueue, withHandler handler: @escaping CMGyroHandler) {
        Self.refuse(queue) { handler(nil, $0) }
    }
    open func stopGyroUpdates() {}
    open func startDeviceMotionUpdates() {}
    open func startDeviceMotionUpdates(to queue: OperationQueue, withHandler handler: @escaping CMDeviceMotionHandler) {
        Self.refuse(queue) { handler(nil, $0) }
    }
    open func stopDeviceMotionUpdates() {}

    private static func refuse(_ queue: OperationQueue, _ handler: @escaping (any Error) -> Void) {
        nonisolated(unsafe) let call = handler  // called once
        queue.addOperation {
            call(
                CocoaError(
                    .featureUnsupported,
                    userInfo: [NSLocalizedDescriptionKey: "notSimulated: the device has no sensors"]))
        }
    }
}
