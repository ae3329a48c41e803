// WireFormat: the form of items, values and errors as property lists. The whole format is on this page.

/// Strings, integers, reals, booleans, data, dates, arrays and dictionaries stand for themselves. Everything else is a
/// dictionary with the reserved key `$kind`; a user's dictionary that has this key is wrapped in one of kind
/// `dictionary`.
///
/// | `$kind` | other keys |
/// | --- | --- |
/// | `null` | – |
/// | `url` | `string`: as written; `base`: string of the URL it is relative to; `file`: of the whole answer to a load, index of the file open for reading; `made`: true if a load handler made the file |
/// | `data` | `descriptor`: index of a sealed memfd beside the value, whose whole contents are the data |
/// | `file` | `descriptor`: index of a file open for reading; `name`; `path` when the reader may work on the file itself |
/// | `dictionary` | `value`: the dictionary, its own `$kind` an ordinary key |
/// | `attributedString` | `string`; `runs`: array of {`location`, `length` in UTF-16 units, `attributes`}, ascending, apart |
/// | `error` | `domain`, `code`, `description`, `userInfo`, `underlying`: error, `itemsAndErrors`: array of {`item`, `error`} |
/// | `item` | `userInfo`: everything in the item, its three properties under their keys |
/// | `provider` | `number`, `types` best first, `inPlace`: those that open in place, `name`: loaded from the sender on demand |
/// | `loadedProvider` | `representations`: array of {`type`, `value` or `error`, `file`: index of the file that a URL names, or `bytes`: its contents}, `name`: a provider sent with its values |
/// | `ownProvider` | `number`: the receiver's own provider, coming back |
///
/// The items of a request are an array of items that may hold `provider`; returned items hold `loadedProvider` and
/// `ownProvider`; nowhere else is a provider allowed. A `file` is only ever the whole answer to a load that asked for
/// one.
enum WireKind: String {
    case null, url, data, file, dictionary, attributedString, error, item, provider, loadedProvider, ownProvider
}

enum WireKey {
    static let kind = "$kind"
    static let string = "string", base = "base"
    static let descriptor = "descriptor"
    static let value = "value"
    static let runs = "runs", location = "location", length = "length", attributes = "attributes"
    static let domain = "domain", code = "code", description = "description", underlying = "underlying"
    static let itemsAndErrors = "itemsAndErrors", item = "item", error = "error"
    static let userInfo = "userInfo"
    static let number = "number", types = "types", name = "name"
    static let representations = "representations", type = "type"
    static let inPlace = "inPlace", path = "path", file = "file", made = "made"
    static let bytes = "bytes", offset = "offset"
    static let options = "options", expected = "expected"
}

/// The limits of one value, for the writer and the reader.
enum WireLimits {
    /// The depth of values inside values.
    ///
    /// Each takes up to three levels of the property list, and a packet's may have 128.
    static let depth = 32
    /// The number of all values, those inside included.
    static let values = 1_000_000
    static let items = 1024
    /// The number of errors inside one error, for the writer: one that is below two others is written twice, and so on.
    static let errors = 1024
    /// The number of types of one provider.
    static let types = 256
    /// The bytes of a type identifier.
    static let identifier = 1024
    /// The limit of data inside the property list, in bytes; larger data has its own descriptor.
    static let inlineData = 32 * 1024
    /// The descriptors beside one value: those of a packet, less one for the value itself.
    ///
    /// Data beyond stays in the property list.
    static let descriptors = 15
    /// The total bytes of the returned files that have no descriptor of their own: as much as a payload may have.
    static let sharedFiles = 64 * 1024 * 1024
    /// The bytes of a stranger's file that need not have been written.
    static let unwritten = 256 * 1024 * 1024
    /// The bytes of data behind one descriptor: they are mapped, not copied.
    static let sharedData = 4 * 1024 * 1024 * 1024
}
