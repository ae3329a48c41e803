// MediaFormat: the format of a photo's or video's file, by its first bytes.

public import PointMessages

/// The formats that a library takes.
public enum MediaFormat: String, Sendable, Hashable {
    /// A photo in JPEG (ITU-T T.81).
    case jpeg = "JPEG"
    /// A photo in PNG (ISO 15948).
    case png = "PNG"
    /// A video in QuickTime.
    case quickTime = "QuickTime"

    /// The number of bytes that tell a format.
    static let headerSize = 12

    /// Recognizes a format by the first bytes of a file; nil for any other.
    init?(_ header: [UInt8]) {
        if header.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if header.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            self = .png
        } else if header.count >= Self.headerSize, Self.isQuickTime(String(decoding: header[4..<12], as: UTF8.self)) {
            self = .quickTime
        } else {
            return nil
        }
    }

    /// Returns whether a file begins with an atom of QuickTime (QuickTime File Format Specification, "Movie Atoms").
    ///
    /// The type `ftyp` has the brand `qt`; files without it begin with another atom.
    private static func isQuickTime(_ types: String) -> Bool {
        types == "ftypqt  " || ["moov", "mdat", "wide", "free", "skip", "pnot"].contains(types.prefix(4))
    }

    /// The uniform type identifier.
    public var type: String {
        switch self {
        case .jpeg: "public.jpeg"
        case .png: "public.png"
        case .quickTime: "com.apple.quicktime-movie"
        }
    }

    /// The usual extension of a file's name.
    var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .quickTime: "mov"
        }
    }

    /// The kind of asset whose original has this format.
    public var media: PhotoMedia { self == .quickTime ? .video : .image }

    /// The format of the renderings of an asset (documented).
    static func ofRenderings(_ media: PhotoMedia) -> MediaFormat { media == .video ? .quickTime : .jpeg }
}
