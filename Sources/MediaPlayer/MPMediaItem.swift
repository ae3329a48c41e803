// MPMediaItem: a song or a film of a library, as values.

@_exported public import Foundation
@_exported public import UIKit

public typealias MPMediaEntityPersistentID = UInt64

public let MPMediaItemPropertyPersistentID = "persistentID"
public let MPMediaItemPropertyMediaType = "mediaType"
public let MPMediaItemPropertyTitle = "title"
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
public let MPMediaItemPropertyArtist = "artist"
public let MPMediaItemPropertyAlbumArtist = "albumArtist"
public let MPMediaItemPropertyGenre = "genre"
public let MPMediaItemPropertyComposer = "composer"
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
public let MPMediaItemPropertyArtwork = "artwork"
public let MPMediaItemPropertyLyrics = "lyrics"
public let MPMediaItemPropertyAssetURL = "assetURL"

/// The kinds of media.
public struct MPMediaType: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let music = MPMediaType(rawValue: 1)
    public static let podcast = MPMediaType(rawValue: 2)
    public static let audioBook = MPMediaType(rawValue: 4)
    public static let anyAudio = MPMediaType(rawValue: 0xFF)
    public static let movie = MPMediaType(rawValue: 0x100)
    public static let any = MPMediaType(rawValue: ~0)
}

/// An entry of a library. The library has none here.
open class MPMediaEntity: NSObject, @unchecked Sendable {  // has no state
    /// Returns a value by its key, such as `MPMediaItemPropertyTitle`: nil here. A subclass may have values.
    open func value(forProperty property: String) -> Any? { nil }

    /// The number of the entry in the library; 0 without one.
    open var persistentID: MPMediaEntityPersistentID {
        (value(forProperty: MPMediaItemPropertyPersistentID) as? NSNumber)?.uint64Value ?? 0
    }
}

/// A song or a film. Each property is that of `value(forProperty:)`.
open class MPMediaItem: MPMediaEntity, @unchecked Sendable {  // has no state
    open var mediaType: MPMediaType {
        MPMediaType(rawValue: (value(forProperty: MPMediaItemPropertyMediaType) as? NSNumber)?.uintValue ?? 0)
    }
    open var title: String? { value(forProperty: MPMediaItemPropertyTitle) as? String }
    open var albumTitle: String? { value(forProperty: MPMediaItemPropertyAlbumTitle) as? String }
    open var artist: String? { value(forProperty: MPMediaItemPropertyArtist) as? String }
    open var albumArtist: String? { value(forProperty: MPMediaItemPropertyAlbumArtist) as? String }
    open var genre: String? { value(forProperty: MPMediaItemPropertyGenre) as? String }
    open var composer: String? { value(forProperty: MPMediaItemPropertyComposer) as? String }
    open var lyrics: String? { value(forProperty: MPMediaItemPropertyLyrics) as? String }
    open var assetURL: URL? { value(forProperty: MPMediaItemPropertyAssetURL) as? URL }
    open var artwork: MPMediaItemArtwork? { value(forProperty: MPMediaItemPropertyArtwork) as? MPMediaItemArtwork }
    /// The length in seconds; 0 without one.
    open var playbackDuration: TimeInterval {
        (value(forProperty: MPMediaItemPropertyPlaybackDuration) as? NSNumber)?.doubleValue ?? 0
    }
}

/// The picture of an item.
open class MPMediaItemArtwork: NSObject {
    /// The largest size, with its origin at zero.
    public let bounds: CGRect
    private let picture: (CGSize) -> UIImage

    /// - Parameters:
    ///   - boundsSize: the largest size.
    ///   - requestHandler: returns the picture for a size. It is called on the thread of `image(at:)`.
    public init(boundsSize: CGSize, requestHandler: @escaping (CGSize) -> UIImage) {
        bounds = CGRect(origin: .zero, size: boundsSize)
        picture = requestHandler
    }

    /// Returns the picture for a size.
    open func image(at size: CGSize) -> UIImage? { picture(size) }
}
