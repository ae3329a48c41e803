// HostOnlyCode: the libraries and symbols that are not for extensions, each with its reason.

/// A row of the tables in `docs/lint.md`, “Links”, by the names that a program on Linux uses for it.
///
/// Each row is a service that extensions may not use (the guide, “Some APIs Are Unavailable to App Extensions”).
struct HostOnlyCode: Sendable {
    /// A use that a message app may declare, by the key of its `Info.plist`.
    enum Use: String, Sendable, CaseIterable {
        case camera = "NSCameraUsageDescription"
        case microphone = "NSMicrophoneUsageDescription"
    }

    /// The name for people.
    let what: String
    /// The names of the libraries, up to `.so` and a version: `libsystemd` is `libsystemd.so.0`.
    var libraries: Set<String> = []
    var symbols: Set<String> = []
    /// The prefixes of symbols.
    var prefixes: [String] = []
    let reason: String
    let remedy: String
    /// The uses that permit it: it is no fault if a message app declares one of them.
    var uses: Set<Use> = []

    func names(library: String) -> Bool {
        let stem = library.split(separator: "/").last.map { String($0) } ?? library
        guard let end = stem.firstRange(of: ".so") else { return libraries.contains(stem) }
        return libraries.contains(String(stem[..<end.lowerBound]))
    }

    func names(symbol: String) -> Bool { symbols.contains(symbol) || prefixes.contains { symbol.hasPrefix($0) } }

    /// The kit for hosts. A program that contains it has its note (`Sources/CHostMark`).
    static let kit = HostOnlyCode(
        what: "ExtensionHost", libraries: ["libExtensionHost", "libExtensionHostTesting"],
        // Swift's symbols of a module begin with the length of the module's name, and the name.
        prefixes: ["$s13ExtensionHost", "$s20ExtensionHostTesting"],
        reason: "a host calls an extension, so an extension cannot be a host",
        remedy: "Link only ExtensionFoundation, and make the app the host")

    static let all: [HostOnlyCode] = [
        kit,
        HostOnlyCode(
            what: "the system's services and its message bus", libraries: ["libsystemd", "libdbus-1"],
            reason: "an extension can connect to no socket but its own",
            remedy: "Call them in the app, and share the result"),
        HostOnlyCode(
            what: "a shared application object",
            libraries: ["libQt5Widgets", "libQt6Widgets", "libadwaita-1"],
            symbols: [
                "g_application_get_default", "g_application_run", "g_application_new", "gtk_application_new",
                "gtk_main",
                "adw_application_new",
            ], reason: "an extension runs for its host, and has no application object",
            remedy: "Do it in the app, and use the NSExtensionContext"),
        HostOnlyCode(
            what: "the camera", libraries: ["libv4l1", "libv4l2", "libcamera"], symbols: ["v4l2_open", "v4l1_open"],
            reason: "only a message app that has \(Use.camera.rawValue) has access to it",
            remedy: "Record in the app, and share the file through an app group", uses: [.camera]),
        HostOnlyCode(
            what: "sound devices",
            libraries: ["libasound", "libpulse", "libpulse-simple", "libjack", "libpipewire-0.3"],
            reason: "an extension has no audio in the background, and the microphone only as a message app that has "
                + Use.microphone.rawValue,
            remedy: "Record and play in the app", uses: [.microphone]),
        HostOnlyCode(
            what: "work that outlives the request", symbols: ["daemon"],
            reason: "all processes of an extension end with it", remedy: "Leave the work to the app, in an app group"),
        // The row omits chroot and sethostname: the runtimes of Rust, Python and Perl refer to them in programs that
        // never call them.
        HostOnlyCode(
            what: "the machine and other processes",
            symbols: [
                "ptrace", "process_vm_readv", "process_vm_writev", "mount", "umount", "umount2", "pivot_root",
                "unshare", "setns", "reboot", "init_module", "finit_module", "swapon", "swapoff",
            ], reason: "the confinement denies the call", remedy: "Remove it from the extension's code and libraries"),
    ]
}
