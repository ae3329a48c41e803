// PhotoEditFault: the reasons why a host refuses an edit.

/// A reason why an edit fails. The asset stays as it was.
public enum PhotoEditFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no regular file at `renderedContentURL` (documented).
    case noRendering
    /// The output has no adjustment data (documented).
    case noAdjustmentData
    /// The adjustment data is the object that came with the input (documented).
    case oldAdjustmentData
    /// The adjustment data, with its identifier and version, has this number of bytes.
    case adjustmentDataTooLarge(Int)
    /// The rendering has this number of bytes.
    case renderingTooLarge(Int)
    /// The rendering has another format; nil: one that is not known.
    case wrongFormat(MediaFormat?, wanted: MediaFormat)
    /// The rendering has this EXIF orientation (documented).
    case wrongOrientation(Int)
    /// The rendering cannot be decoded, with the decoder's words.
    case undecodable(String)

    /// The largest adjustment data, in bytes (ours; Apple documents no number).
    public static let largestAdjustment = 2 << 20
    /// The size of adjustment data from which on a report has a remark, in bytes (ours).
    public static let largeAdjustment = 1 << 20

    /// The name of the reason, such as `wrongOrientation`.
    public var name: String {
        switch self {
        case .noRendering: "noRendering"
        case .noAdjustmentData: "noAdjustmentData"
        case .oldAdjustmentData: "oldAdjustmentData"
        case .adjustmentDataTooLarge: "adjustmentDataTooLarge"
        case .renderingTooLarge: "renderingTooLarge"
        case .wrongFormat: "wrongFormat"
        case .wrongOrientation: "wrongOrientation"
        case .undecodable: "undecodable"
        }
    }

    /// The reason in words, without a full stop.
    public var message: String {
        switch self {
        case .noRendering: "there is no regular file at renderedContentURL"
        case .noAdjustmentData: "the output has no adjustmentData"
        case .oldAdjustmentData: "the adjustmentData is that of the input"
        case .adjustmentDataTooLarge(let size):
            "the adjustmentData has \(size) bytes, and the limit is \(Self.largestAdjustment)"
        case .renderingTooLarge(let size): "the rendering has \(size) bytes, which is above the limit"
        case .wrongFormat(let found, let wanted):
            "the rendering is \(found?.rawValue ?? "of an unknown format"), and must be \(wanted.rawValue)"
        case .wrongOrientation(let value): "the rendering has the EXIF orientation \(value)"
        case .undecodable(let words): "the rendering cannot be decoded: \(words)"
        }
    }

    /// The remedy, without a full stop.
    public var remedy: String {
        switch self {
        case .noRendering: "Write the whole rendering there before the completion handler"
        case .noAdjustmentData: "Set a PHAdjustmentData that describes the edit"
        case .oldAdjustmentData: "Make a new PHAdjustmentData for each output"
        case .adjustmentDataTooLarge: "Store parameters of the edit, and no pixels"
        case .renderingTooLarge: "Write a smaller file: 256 MiB for a photo, 4 GiB for a video"
        case .wrongFormat(_, .jpeg): "Write jpegData(compressionQuality:)"
        case .wrongFormat: "Write a QuickTime movie"
        case .wrongOrientation: "Turn the pixels upright, and write orientation 1 or none"
        case .undecodable: "Write the file whole, and close it before the completion handler"
        }
    }

    public var description: String { "\(message). \(remedy)" }
}
