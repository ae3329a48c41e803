// applicationIdentifier, applicationExecutable: what an app calls itself, and its program.

import LinuxSystem
import PropertyListCoding

/// The `CFBundleIdentifier` of the `.app` at a path; nil where none can be read. Reads a file, so never on the loop.
package func applicationIdentifier(_ path: String) -> String? {
    guard let bytes = try? readFile(BundleLayout(of: path).information, maximumSize: BundleInformation.fileLimit) else {
        return nil
    }
    return ContainingApp(path: path, file: bytes).identifier
}

/// The `CFBundleExecutable` of the `.app` at a path; nil where none can be read, or it has folders in it. Reads a file.
package func applicationExecutable(_ path: String) -> String? {
    guard let bytes = try? readFile(BundleLayout(of: path).information, maximumSize: BundleInformation.fileLimit),
        let name = try? PropertyList(file: bytes, limits: .packet).dictionary?["CFBundleExecutable"]?.string
    else { return nil }
    let isName = !name.isEmpty && name != "." && name != ".." && !name.contains("/") && !name.contains("\0")
    return isName ? name : nil
}
