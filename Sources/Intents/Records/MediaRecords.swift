// MediaRecords: the objects of intents that are media and searches for them.

public import Foundation

/// The kinds of media. The numbers are from memory.
public enum INMediaItemType: Int, Sendable, CaseIterable {
    case unknown, song, album, artist, genre, playlist, podcastShow, podcastEpisode, podcastPlaylist, musicStation
    case audioBook, movie, tvShow, tvShowEpisode, musicVideo, podcastStation, radioStation, station, music
    case algorithmicRadioStation, news
}

extension INMediaItemType: _IntentEnumeration {}

/// The media that are meant without a name.
public enum INMediaReference: Int, Sendable, CaseIterable {
    case unknown, currentlyPlaying, my
}

extension INMediaReference: _IntentEnumeration {}

/// The orders of media.
public enum INMediaSortOrder: Int, Sendable, CaseIterable {
    case unknown, newest, oldest, best, worst, popular, unpopular, trending, recommended
}

extension INMediaSortOrder: _IntentEnumeration {}

/// The modes of repetition.
public enum INPlaybackRepeatMode: Int, Sendable, CaseIterable {
    case unknown, none, all, one
}

extension INPlaybackRepeatMode: _IntentEnumeration {}

/// The places in a queue.
public enum INPlaybackQueueLocation: Int, Sendable, CaseIterable {
    case unknown, now, next, later
}

extension INPlaybackQueueLocation: _IntentEnumeration {}

/// A piece of media.
open class INMediaItem: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var identifier: String?
    public internal(set) var title: String?
    public internal(set) var type: INMediaItemType = .unknown
    public internal(set) var artwork: INImage?
    public internal(set) var artist: String?

    public init(identifier: String?, title: String?, type: INMediaItemType, artwork: INImage?, artist: String?) {
        self.identifier = identifier
        self.title = title
        self.type = type
        self.artwork = artwork
        self.artist = artist
    }

    public init(identifier: String?, title: String?, type: INMediaItemType, artwork: INImage?) {
        self.identifier = identifier
        self.title = title
        self.type = type
        self.artwork = artwork
    }
}

extension INMediaItem: IntentRecord {
    static var kind: String { "media" }
    static func read(_ members: IntentMembers) -> Any? {
        return INMediaItem(
            identifier: members("identifier"), title: members("title"), type: members("type") ?? .unknown,
            artwork: members("artwork"), artist: members("artist"))
    }
    var members: IntentMembers {
        IntentMembers(["identifier": identifier, "title": title, "type": type, "artwork": artwork, "artist": artist])
    }
}

/// The words with which a person asks for media.
open class INMediaSearch: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var mediaType: INMediaItemType = .unknown
    public internal(set) var sortOrder: INMediaSortOrder = .unknown
    public internal(set) var mediaName: String?
    public internal(set) var artistName: String?
    public internal(set) var albumName: String?
    public internal(set) var genreNames: [String]?
    public internal(set) var moodNames: [String]?
    public internal(set) var releaseDate: INDateComponentsRange?
    public internal(set) var reference: INMediaReference = .unknown
    public internal(set) var mediaIdentifier: String?

    public init(
        mediaType: INMediaItemType = .unknown, sortOrder: INMediaSortOrder = .unknown, mediaName: String? = nil,
        artistName: String? = nil, albumName: String? = nil, genreNames: [String]? = nil, moodNames: [String]? = nil,
        releaseDate: INDateComponentsRange? = nil, reference: INMediaReference = .unknown,
        mediaIdentifier: String? = nil
    ) {
        self.mediaType = mediaType
        self.sortOrder = sortOrder
        self.mediaName = mediaName
        self.artistName = artistName
        self.albumName = albumName
        self.genreNames = genreNames
        self.moodNames = moodNames
        self.releaseDate = releaseDate
        self.reference = reference
        self.mediaIdentifier = mediaIdentifier
    }
}

extension INMediaSearch: IntentRecord {
    static var kind: String { "mediaSearch" }
    static func read(_ members: IntentMembers) -> Any? {
        return INMediaSearch(
            mediaType: members("mediaType") ?? .unknown, sortOrder: members("sortOrder") ?? .unknown,
            mediaName: members("mediaName"), artistName: members("artistName"), albumName: members("albumName"),
            genreNames: members("genreNames"), moodNames: members("moodNames"), releaseDate: members("releaseDate"),
            reference: members("reference") ?? .unknown, mediaIdentifier: members("mediaIdentifier"))
    }
    var members: IntentMembers {
        IntentMembers([
            "mediaType": mediaType, "sortOrder": sortOrder, "mediaName": mediaName, "artistName": artistName,
            "albumName": albumName, "genreNames": genreNames, "moodNames": moodNames, "releaseDate": releaseDate,
            "reference": reference, "mediaIdentifier": mediaIdentifier,
        ])
    }
}
