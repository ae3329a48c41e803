// applicationIdentifier: the functions that read an app's identifier.

import Glibc
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

/// Whether the `.app` at a path is not there any more, or has another identifier.
///
/// An app whose files cannot be read for another reason, such as a lack of descriptors, counts as present. The function
/// reads a file, so it never runs on the loop.
package func isApplicationGone(_ identifier: String, at path: String) -> Bool {
    do throws(SystemError) {
        let bytes = try readFile(BundleLayout(of: path).information, maximumSize: BundleInformation.fileLimit)
        return ContainingApp(path: path, file: bytes).identifier != identifier
    } catch {
        return error.code == ENOENT || error.code == ENOTDIR
    }
}
