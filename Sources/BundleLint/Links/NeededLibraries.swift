// neededLibraries: the function that lists the libraries that a program or library requires from the loader.

import ELF

/// Returns the names under `DT_NEEDED`, in order.
///
/// It is empty if the file is no ELF file of this machine, or is damaged. It reads the file.
package func neededLibraries(of path: String) -> [String] {
    guard let file = try? ELFFile(path), file.isOfThisMachine, let links = try? ELFLinks(file) else { return [] }
    return links.needed
}
