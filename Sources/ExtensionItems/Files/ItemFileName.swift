// ItemFileName: the name of the file for an item.

internal import Foundation
internal import UniformTypeIdentifiers

/// Makes a file name from the owner's suggestion, which may be any text.
///
/// The name is one component of a path, at most 255 bytes, never hidden and never empty. It has the type's own
/// extension if the text has none.
public func itemFileName(suggested: String?, typeIdentifier: String) -> String {
    var name = (suggested ?? "").unicodeScalars.reduce(into: "") { name, scalar in
        // A slash would separate folders, control characters would control a terminal.
        let isPlain = scalar != "/" && scalar.properties.generalCategory != .control
        name.unicodeScalars.append(isPlain ? scalar : "_")
    }
    name = String(name.drop { $0 == "." })
    if name.isEmpty { name = "item" }
    if (name as NSString).pathExtension.isEmpty, let ending = UTType(typeIdentifier)?.preferredFilenameExtension {
        name += "." + ending
    }
    guard name.utf8.count > 255 else { return name }
    let ending = "." + (name as NSString).pathExtension
    let kept = ending.utf8.count < 32 ? ending : ""
    var stem = Substring(name.dropLast(kept.count))
    while stem.utf8.count + kept.utf8.count > 255 { stem.removeLast() }
    return stem + kept
}
