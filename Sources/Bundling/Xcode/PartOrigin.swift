// PartOrigin: what a project says of one bundle, beside what lies in the folder that stands for it.

import Foundation

/// An app or an extension of a project file. Its program, if it has one, is that of the generated package's target in
/// `folder`.
struct PartOrigin {
    /// Of the generated package; holds links to the sources.
    let folder: String
    /// The target's: by it an extension is chosen.
    let name: String
    /// The name of the bundle without its ending.
    let bundleName: String
    let information: InformationDraft
    /// Keys that Xcode adds to the file, as build settings have them.
    let additions: [InformationDraft.Addition]
    let settings: BuildSettings
    /// The author's file.
    let entitlements: String?
    let resources: [XcodeFile]
    /// Every class of the sources, by its Objective-C name or its own, as `Module.Class`.
    let classes: [String: String]
}
