// RestrictionLint: the checks for keys of an Info.plist that request services closed to extensions.

import PropertyListCoding

/// The checks of background modes and capture (the guide, “Some APIs Are Unavailable to App Extensions”).
struct RestrictionLint {
    let information: InformationFile

    /// The uses that a message app declares, and so may have.
    var uses: Set<HostOnlyCode.Use> { isMessageApp ? declared : [] }

    private var isMessageApp: Bool {
        information.dictionary["NSExtension"]?.dictionary?["NSExtensionPointIdentifier"]?.string
            == "com.apple.message-payload-provider"
    }

    private var declared: Set<HostOnlyCode.Use> {
        Set(HostOnlyCode.Use.allCases.filter { information.dictionary[$0.rawValue]?.string?.isEmpty == false })
    }

    func check(_ report: inout LintReport) {
        let modes = "UIBackgroundModes"
        if information.dictionary[modes] != nil {
            information.report(
                &report, .backgroundModes, modes,
                "an extension has no background modes: no audio, no VoIP, no long work",
                remedy: "Move the key into the app's Info.plist")
        }
        guard !isMessageApp else { return }
        for use in HostOnlyCode.Use.allCases where declared.contains(use) {
            information.report(
                &report, .captureNotAvailable, use.rawValue,
                "only a message app has access to camera and microphone, and this extension is not one",
                remedy: "Remove the key, and record in the app")
        }
    }
}
