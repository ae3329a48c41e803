// PartOrigin: the data in a project for one bundle, in addition to the files in its folder.

import Foundation

/// An app or an extension of a project file.
///
/// The program, if there is one, is that of the generated package's target in `folder`.
struct PartOrigin {
    /// The folder in the generated package, which has links to the sources.
    let folder: String
    /// The name of the target, by which an extension is chosen.
    let name: String
    /// The name of the bundle without its extension.
    let bundleName: String
    let information: InformationDraft
    /// The keys that Xcode adds to the file from build settings.
    let additions: [InformationDraft.Addition]
    let settings: BuildSettings
    /// The author's file of entitlements.
    let entitlements: String?
    let resources: [XcodeFile]
    /// The classes of the sources as `Module.Class`, by their Objective-C names or their own.
    let classes: [String: String]
    /// The generated classes of intents in other modules than the extension's, as `Module.Class`, by their names.
    var intents: [String: String] = [:]
}
