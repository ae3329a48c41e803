// applicationIdentifier: the function that reads an app's identifier.

import LinuxSystem

/// Returns the `CFBundleIdentifier` of the `.app` at a path, or nil if none can be read.
///
/// It reads a file, so it never runs on the loop.
package func applicationIdentifier(_ path: String) -> String? {
    guard let bytes = try? readFile(BundleLayout(of: path).information, maximumSize: BundleInformation.fileLimit) else {
        return nil
    }
    return ContainingApp(path: path, file: bytes).identifier
}
