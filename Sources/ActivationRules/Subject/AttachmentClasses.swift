// AttachmentClasses: the kinds of attachments that the dictionary form of a rule knows.

/// The classes of one attachment, which may be in several (spec 3.2).
struct AttachmentClasses: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let image = Self(rawValue: 1 << 0)
    static let movie = Self(rawValue: 1 << 1)
    static let webURL = Self(rawValue: 1 << 2)
    static let webPage = Self(rawValue: 1 << 3)
    static let text = Self(rawValue: 1 << 4)
    /// A file that is neither image nor movie, or other data.
    static let otherFile = Self(rawValue: 1 << 5)
    /// Any file, or other data.
    static let anyFile = Self(rawValue: 1 << 6)

    static let count = 7

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Classifies an attachment by the union of the types that its registered types conform to.
    init(conformance: UInt64) {
        func has(_ bit: UInt64) -> Bool { conformance & bit != 0 }
        var classes: Self = []
        let isFile = has(Self.fileURLBit)
        if has(Self.imageBit) { classes.insert(.image) }
        if has(Self.movieBit) { classes.insert(.movie) }
        if has(Self.urlBit), !isFile { classes.insert(.webURL) }
        if has(Self.propertyListBit), !isFile { classes.insert(.webPage) }
        if has(Self.textBit), !isFile { classes.insert(.text) }
        if isFile {
            if classes.isDisjoint(with: [.image, .movie]) { classes.insert(.otherFile) }
            classes.insert(.anyFile)
        } else if classes.isEmpty, has(Self.dataBit) {
            classes = [.otherFile, .anyFile]
        }
        self = classes
    }

    private static let imageBit = CommonTypes.bit("public.image")
    private static let movieBit = CommonTypes.bit("public.movie")
    private static let urlBit = CommonTypes.bit("public.url")
    private static let fileURLBit = CommonTypes.bit("public.file-url")
    private static let propertyListBit = CommonTypes.bit("com.apple.property-list")
    private static let textBit = CommonTypes.bit("public.text")
    private static let dataBit = CommonTypes.bit("public.data")
}

/// The files that `NSExtensionActivationSupportsFileWithMaxCount` counts; Apple's own texts disagree.
public enum FileMeaning: Sendable, Hashable {
    /// Files other than images and movies, as in the App Extension guide.
    case neitherImageNorMovie
    /// Files of every type, as in the newer reference.
    case every

    var classes: AttachmentClasses {
        switch self {
        case .neitherImageNorMovie: .otherFile
        case .every: .anyFile
        }
    }
}
