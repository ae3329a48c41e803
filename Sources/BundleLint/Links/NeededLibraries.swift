// neededLibraries: what a program or library asks the loader for.

/// The names under `DT_NEEDED`, in order; none of what is no ELF file of this machine, or is damaged. Reads the file.
package func neededLibraries(of path: String) -> [String] {
    guard let file = try? ELFFile(path), file.isOfThisMachine, let links = try? ELFLinks(file) else { return [] }
    return links.needed
}
