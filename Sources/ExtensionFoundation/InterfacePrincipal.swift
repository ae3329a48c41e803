// InterfacePrincipal: what a principal class with a view is to the session: an object that lives on the main actor.

package import ExtensionWire
package import Foundation

/// A principal class whose objects are made and called on the main actor, and have a view: UIKit's view controllers.
package protocol InterfacePrincipal: NSExtensionRequestHandling {
    /// Before `beginRequest(with:)`.
    @MainActor func join(_ context: NSExtensionContext)
    /// After it: the view is loaded and appears (spec 1.4).
    @MainActor func present()
    /// As it is now.
    @MainActor func describe() -> ViewElement
    /// What a person does with the view. Throws `invalidArgument`, `notPermitted`: it cannot be done.
    @MainActor func perform(_ act: UseView) throws(ExtensionHostError)
    /// The host has taken the view down, or the request is over (spec 1.2 step 3).
    @MainActor func takeDown()
}

/// Stands for the class of an extension that begins with a storyboard: UIKit has one, of the name below, which makes
/// the object.
package protocol MadeByStoryboard: InterfacePrincipal {
    /// The first controller of a storyboard of the main bundle. One that is not there ends the process.
    @MainActor static func makeInitial(_ storyboard: String) -> any NSObject & InterfacePrincipal
}

/// The storyboard that an extension without `NSExtensionPrincipalClass` begins with.
enum MainStoryboard {
    static let className = "UIKit.StoryboardPrincipal"

    /// Its name, in the extension's own `Info.plist`.
    static var name: String? { OwnInformation.declaration("NSExtensionMainStoryboard") }

    /// The class that stands for it.
    ///
    /// - Throws: `noPrincipalClass` where the bundle has no such storyboard, or the program no UIKit.
    static func principal(_ name: String) throws(ExtensionHostError) -> AnyClass {
        guard Bundle.main.path(forResource: name, ofType: "storyboardc") != nil else {
            throw ExtensionHostError(
                .noPrincipalClass, "the bundle has no compiled storyboard \(name)",
                remedy: "Make the bundle with exthostctl bundle, which compiles the storyboards of a target")
        }
        guard let found = NSClassFromString(className) else {
            throw ExtensionHostError(
                .noPrincipalClass, "the program begins with the storyboard \(name) and has no UIKit",
                remedy: "Import UIKit in one of its files")
        }
        return found
    }
}
