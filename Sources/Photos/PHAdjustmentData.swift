// PHAdjustmentData: a description of an edit, which a later edit may continue.

public import Foundation
package import PointMessages

/// A description of an edit, which only its author can read. Safe to use from any thread.
///
/// The host stores it beside the rendering, and offers it to the next extension that edits the asset. At most 2 MiB
/// (ours); Apple documents no number.
open class PHAdjustmentData: NSObject, @unchecked Sendable {  // its properties are constant
    /// The name of the form, in reverse-domain notation.
    public let formatIdentifier: String
    public let formatVersion: String
    public let data: Data

    /// Makes a description.
    ///
    /// - Parameters:
    ///   - formatIdentifier: the name of the form, such as `org.example.sepia`.
    ///   - formatVersion: the version of the form, such as `1.0`.
    ///   - data: the description.
    public init(formatIdentifier: String, formatVersion: String, data: Data) {
        (self.formatIdentifier, self.formatVersion, self.data) = (formatIdentifier, formatVersion, data)
    }

    package convenience init(_ message: PhotoAdjustment) {
        self.init(
            formatIdentifier: message.formatIdentifier, formatVersion: message.formatVersion, data: Data(message.data))
    }

    package var message: PhotoAdjustment {
        PhotoAdjustment(formatIdentifier: formatIdentifier, formatVersion: formatVersion, data: [UInt8](data))
    }
}
