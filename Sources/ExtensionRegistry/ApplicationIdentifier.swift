// applicationIdentifier: what an app calls itself.

import LinuxSystem

/// The `CFBundleIdentifier` of the `.app` at a path; nil where none can be read. Reads a file, so never on the loop.
package func applicationIdentifier(_ path: String) -> String? {
    guard let bytes = try? readFile(BundleLayout(of: path).information, maximumSize: BundleInformation.fileLimit) else {
        return nil
    }
    return ContainingApp(path: path, file: bytes).identifier
}
