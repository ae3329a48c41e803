// StoryboardPrincipal: the principal object of an extension that begins with a storyboard.

import ExtensionFoundation
import Foundation

/// Stands for the class that an extension without `NSExtensionPrincipalClass` would name: `NSExtensionMain` finds it by
/// its name. The object is the first controller of the storyboard that `NSExtensionMainStoryboard` names.
final class StoryboardPrincipal: UIViewController, MadeByStoryboard {
    static func makeInitial(_ storyboard: String) -> any NSObject & InterfacePrincipal {
        guard let made = UIStoryboard(name: storyboard, bundle: nil).instantiateInitialViewController() else {
            fatalError("the storyboard \(storyboard) has no initial view controller: choose one in Xcode")
        }
        return made
    }
}
