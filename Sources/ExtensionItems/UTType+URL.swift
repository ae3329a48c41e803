// UTType+URL: the one member of UTType that needs Foundation.

public import Foundation
public import UniformTypeIdentifiers

extension UTType {
    /// The address of the type's description, from the bundle that declares it (`UTTypeReferenceURL`); nil for the
    /// system's types.
    public var referenceURL: URL? { referenceLink.flatMap(URL.init(string:)) }
}
