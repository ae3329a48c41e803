// UNNotificationSound: the sound of a notification, under Apple's names.

public import Foundation

/// The name of a sound file.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A sound of a notification. The host gets its name and volume; nothing plays.
open class UNNotificationSound: NSObject, NSCopying, @unchecked Sendable {  // its properties are constant
    /// `default`, or the name of a file.
    let name: String
    let isCritical: Bool
    /// The volume from 0 to 1; nil: the system's.
    let volume: Double?

    /// Makes the sound of a file.
    public convenience init(named name: UNNotificationSoundName) { self.init(name.rawValue) }

    init(_ name: String, isCritical: Bool = false, volume: Double? = nil) {
        (self.name, self.isCritical) = (name, isCritical)
        self.volume = volume.map { min(max($0, 0), 1) }
    }

    private static let defaultName = "default"

    public static let `default` = UNNotificationSound(defaultName)
    /// The sound of an incoming call.
    public static let defaultRingtone = UNNotificationSound("defaultRingtone")
    public static let defaultCritical = UNNotificationSound(defaultName, isCritical: true)

    /// Makes the usual sound of a critical alert. A volume outside of 0 to 1 is limited to that.
    open class func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound {
        UNNotificationSound(defaultName, isCritical: true, volume: Double(volume))
    }

    /// Makes the sound of a file as that of an incoming call.
    open class func ringtoneSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(name.rawValue)
    }

    /// Makes the sound of a file as that of a critical alert.
    open class func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(name.rawValue, isCritical: true)
    }

    /// Makes the sound of a file as that of a critical alert. A volume outside of 0 to 1 is limited to that.
    open class func criticalSoundNamed(
        _ name: UNNotificationSoundName, withAudioVolume volume: Float
    ) -> UNNotificationSound {
        UNNotificationSound(name.rawValue, isCritical: true, volume: Double(volume))
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotificationSound else { return false }
        return (name, isCritical, volume) == (other.name, other.isCritical, other.volume)
    }
    open override var hash: Int { name.hash }
}
