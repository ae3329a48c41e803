// ImageHelperProgram: the search for exthost-images.

package import ExtensionProtocol

/// The program that decodes images for hosts.
package enum ImageHelperProgram {
    package static let name = "exthost-images"

    /// Returns the path of the program.
    ///
    /// - Throws: `helperMissing` with the places that were searched.
    package static func locate() throws(ExtensionHostError) -> String {
        try HelperProgram(name: name, variable: "EXTHOST_IMAGES", task: "decodes images for hosts").locate()
    }
}
