// PostcardKit: the framework that the app and its extension share. Nothing links to it: both load it while they run.

/// A postcard with a greeting for one person.
///
/// The program that loads it does not know this class. Both know the protocol, which is in Swift's own library.
public final class Postcard: LosslessStringConvertible {
    private let name: String

    /// - Parameter description: the name of the person.
    public required init?(_ description: String) {
        guard !description.isEmpty else { return nil }
        name = description
    }

    public var description: String { "Greetings from Linux, \(name)!" }
}

/// The price of a stamp, in cents. C has such functions, and so has dlsym(3).
@_cdecl("postcard_stamp") public func stamp(_ postcards: Int32) -> Int32 { 95 * postcards }
