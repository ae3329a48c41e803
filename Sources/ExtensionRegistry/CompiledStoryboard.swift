// CompiledStoryboard: whether a bundle has what its extension begins with where it names no class.

import Glibc

extension ExtensionBundle {
    /// Whether the storyboard that `NSExtensionMainStoryboard` names lies in the bundle as `exthostctl bundle` compiles
    /// it. Asks the file system, once.
    public var hasCompiledStoryboard: Bool {
        guard let name = declaration.mainStoryboard, !name.isEmpty, !name.contains("/") else { return false }
        return access("\(path)/\(name).storyboardc", R_OK) == 0
    }
}
