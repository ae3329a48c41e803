// CompiledStoryboard: the check for the compiled storyboard with which an extension without a principal class begins.

import Glibc

extension ExtensionBundle {
    /// Whether the bundle contains the storyboard that `NSExtensionMainStoryboard` names, as `exthostctl bundle`
    /// compiles it.
    ///
    /// It makes one file system call.
    public var hasCompiledStoryboard: Bool {
        guard let name = declaration.mainStoryboard, !name.isEmpty, !name.contains("/") else { return false }
        return access("\(path)/\(name).storyboardc", R_OK) == 0
    }
}
