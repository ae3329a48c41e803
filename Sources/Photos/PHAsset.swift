// PHAsset: the kinds of assets, under Apple's names and numbers.

public import Foundation

/// The kind of an asset's media.
public enum PHAssetMediaType: Int, Sendable {
    case unknown, image, video, audio
}

/// Further properties of an asset's media.
public struct PHAssetMediaSubtype: OptionSet, Sendable, Hashable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let photoPanorama = Self(rawValue: 1 << 0)
    public static let photoHDR = Self(rawValue: 1 << 1)
    public static let photoScreenshot = Self(rawValue: 1 << 2)
    public static let photoLive = Self(rawValue: 1 << 3)
    public static let photoDepthEffect = Self(rawValue: 1 << 4)
    public static let videoStreamed = Self(rawValue: 1 << 16)
    public static let videoHighFrameRate = Self(rawValue: 1 << 17)
    public static let videoTimelapse = Self(rawValue: 1 << 18)
}

/// A photo with the film around it. There is none here: an input's `livePhoto` is nil.
open class PHLivePhoto: NSObject {}
