// ItemFileName: under what name a thing is written to a file.

internal import Foundation
internal import UniformTypeIdentifiers

/// A name for a file, made of what its owner suggested, which may be anybody's text: one part of a path, at most 255 bytes, never
/// hidden and never empty, with the type's own extension where the text has none.
public func itemFileName(suggested: String?, typeIdentifier: String) -> String {
    var name = (suggested ?? "").unicodeScalars.reduce(into: "") { name, scalar in
        // A slash would name a folder, control characters would steer a terminal.
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
