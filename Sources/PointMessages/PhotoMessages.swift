// PhotoMessages: the calls of a photo editing extension.

public import ExtensionPointKit

/// The kinds of assets. Both sides refuse an unrecognized kind.
public enum PhotoMedia: String, OpenEnumeration, Hashable {
    case image, video, livePhoto, unrecognized
}

/// A description of an edit, in a form that only its author knows.
public struct PhotoAdjustment: Codable, Sendable, Hashable {
    /// The name of the form, such as `org.example.sepia`.
    public var formatIdentifier: String
    public var formatVersion: String
    public var data: [UInt8]

    /// Makes a description; each value is described at its property.
    public init(formatIdentifier: String, formatVersion: String, data: [UInt8]) {
        (self.formatIdentifier, self.formatVersion, self.data) = (formatIdentifier, formatVersion, data)
    }

    /// The number of bytes of all three.
    public var size: Int { formatIdentifier.utf8.count + formatVersion.utf8.count + data.count }
}

/// A place on the earth, in degrees.
public struct PhotoPlace: Codable, Sendable, Hashable {
    public var latitude, longitude: Double
    /// Makes a place; north and east are positive.
    public init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
}

/// An asset as the extension gets it.
public struct PhotoInput: Codable, Sendable {
    public var media: PhotoMedia
    /// The bits of `PHAssetMediaSubtype`.
    public var subtypes: Int
    /// Seconds since 1970.
    public var created: Double?
    public var place: PhotoPlace?
    /// The uniform type identifier of the file.
    public var type: String
    /// The EXIF orientation of the file, from 1 to 8; 1 for a video.
    public var orientation: Int
    /// The earlier edit that the extension can continue. The file is the original then.
    public var adjustment: PhotoAdjustment?
    public var fileName: String
    /// The original, or the current rendering.
    public var file: PointFile

    /// Makes an input; each value is described at its property.
    public init(
        media: PhotoMedia, subtypes: Int, created: Double?, place: PhotoPlace?, type: String, orientation: Int,
        adjustment: PhotoAdjustment?, fileName: String, file: PointFile
    ) {
        (self.media, self.subtypes, self.created, self.place) = (media, subtypes, created, place)
        (self.type, self.orientation, self.adjustment) = (type, orientation, adjustment)
        (self.fileName, self.file) = (fileName, file)
    }
}

/// Asks whether the extension can continue an earlier edit.
public struct PhotoCanHandle: PointMessage {
    public static let name = "photo.canHandle"

    public struct Reply: Codable, Sendable {
        public var canHandle: Bool
        public init(_ canHandle: Bool) { self.canHandle = canHandle }
    }

    public var adjustment: PhotoAdjustment
    public init(_ adjustment: PhotoAdjustment) { self.adjustment = adjustment }
}

/// Begins the edit, and shows the view afterwards.
public struct PhotoStart: PointMessage {
    public static let name = "photo.startContentEditing"
    public var input: PhotoInput
    /// An image of the asset's current state; absent: the file of the input shows it.
    public var placeholder: PointFile?

    /// Makes the call; each value is described at its property.
    public init(input: PhotoInput, placeholder: PointFile?) { (self.input, self.placeholder) = (input, placeholder) }
}

/// The extension's result. The host checks each value.
public struct PhotoOutput: Codable, Sendable {
    /// The description of the edit; absent: the author has set none.
    public var adjustment: PhotoAdjustment?
    /// Whether the description is the object that came with the input.
    public var returnsInputAdjustment: Bool
    /// The rendering; absent: the author has written no file.
    public var rendering: PointFile?

    /// Makes an output; each value is described at its property.
    public init(adjustment: PhotoAdjustment?, returnsInputAdjustment: Bool, rendering: PointFile?) {
        (self.adjustment, self.returnsInputAdjustment) = (adjustment, returnsInputAdjustment)
        self.rendering = rendering
    }
}

/// Asks for the result of the edit.
public struct PhotoFinish: PointMessage {
    public static let name = "photo.finishContentEditing"

    public struct Reply: Codable, Sendable {
        /// The result; absent: there is nothing to save.
        public var output: PhotoOutput?
        public init(_ output: PhotoOutput?) { self.output = output }
    }

    public init() {}
}

/// Asks whether the person must confirm that the edit is lost.
public struct PhotoShouldConfirm: PointMessage {
    public static let name = "photo.shouldShowCancelConfirmation"

    public struct Reply: Codable, Sendable {
        public var shouldConfirm: Bool
        public init(_ shouldConfirm: Bool) { self.shouldConfirm = shouldConfirm }
    }

    public init() {}
}

/// Cancels the edit. No result is asked for any more.
public struct PhotoCancel: PointMessage {
    public static let name = "photo.cancelContentEditing"
    public init() {}
}

/// Ends the session. Its request completes without items.
public struct PhotoEnd: PointMessage {
    public static let name = "photo.end"
    public init() {}
}
