// CommonTypes: the type identifiers that rules name most often, one bit for each.

internal import UniformTypeIdentifiers

/// A set of common types as one word: the types that an attachment's types conform to, or those that a rule names.
///
/// The list has all supertypes of each of its types (a test checks it). Thus the word alone says everything that a
/// common type conforms to. Types outside the list are compared by name.
enum CommonTypes {
    static let names = [
        "public.item", "public.content", "public.composite-content", "public.data", "public.directory", "public.folder",
        "public.url", "public.file-url", "public.text", "public.plain-text", "public.utf8-plain-text", "public.rtf",
        "public.html",
        "public.xml", "public.json", "public.contact", "public.vcard", "com.apple.property-list", "public.image",
        "public.jpeg",
        "public.png", "public.tiff", "public.heif-standard", "public.heic", "com.compuserve.gif", "com.microsoft.bmp",
        "org.webmproject.webp", "public.svg-image", "public.audiovisual-content", "public.movie", "public.video",
        "public.mpeg-4",
        "com.apple.quicktime-movie", "public.audio", "public.mp3", "public.mpeg-4-audio",
        "com.microsoft.waveform-audio",
        "com.adobe.pdf", "public.archive", "com.pkware.zip-archive", "public.zip-archive", "public.message",
        "public.email-message", "public.calendar-event", "public.presentation", "public.spreadsheet",
        "public.source-code",
        "public.delimited-values-text", "public.comma-separated-values-text", "com.apple.package", "com.apple.bundle",
        "org.idpf.epub-container", "public.heif", "public.camera-raw-image", "com.apple.live-photo", "public.database",
        "public.font", "com.apple.xml-property-list", "com.apple.resolvable", "com.apple.bookmark", "public.executable",
    ]

    private static let places: [String: Int] = Dictionary(uniqueKeysWithValues: zip(names, names.indices))

    /// The type at each place with all its supertypes.
    ///
    /// Declarations of bundles cannot change it, because the system's declarations come first.
    private static let conformances: [UInt64] = names.map { name in
        TypeTable.system.supertypes(of: name).reduce(bit(name)) { $0 | bit($1) }
    }

    /// Returns the bit's number of a lower-case identifier; nil if the type is not common.
    static func place(_ key: String) -> Int? { places[key] }

    /// Returns the bit of a lower-case identifier; 0 if the type is not common.
    static func bit(_ key: String) -> UInt64 { places[key].map { 1 << UInt64($0) } ?? 0 }

    /// Returns the types that the common type at a place conforms to, itself included.
    static func conformance(_ place: Int) -> UInt64 { conformances[place] }
}
