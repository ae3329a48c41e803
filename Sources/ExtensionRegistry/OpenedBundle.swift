// OpenedBundle: a bundle that is open for a launch, which takes everything from its descriptors.

public import ExtensionProtocol
import Glibc
public import LinuxSystem
import PropertyListCoding

/// The open folders of a bundle and of the app around it, or an open program without a bundle.
///
/// They stay open after the check, so the launch looks up none of their paths again.
public struct OpenedBundle: Sendable {
    public let bundle: ExtensionBundle
    /// The `.appex` or `.app`; of a program without a bundle, the program.
    public let file: ViewFile
    /// The app around an extension.
    public let app: ViewFile?

    /// Opens the bundle and checks a few of its files.
    ///
    /// - Parameter containers: the folder of containers. Extensions write there, and could redirect any path through
    ///   it, so a bundle that is reached through it is refused.
    /// - Throws: `launchFailed`, with the reason, if the bundle or its program differs from what the registry read.
    public init(_ bundle: ExtensionBundle, outside containers: FolderIdentity?) throws(ExtensionHostError) {
        self.bundle = bundle
        do throws(SystemError) {
            file = try ViewFile(bundle.path, outside: containers)
            app = try bundle.containingApp.map { (path) throws(SystemError) in try ViewFile(path, outside: containers) }
        } catch {
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier): \(ContainerRule.problem(error, at: bundle.path))")
        }
        guard let executable = bundle.executable, !bundle.isProgram else { return }
        let place = String(executable.dropFirst(bundle.path.count + 1))
        let name = place.split(separator: "/").last.map(String.init) ?? place
        if let problem = BundleReader.problem(ofProgram: place, name, in: file) {
            throw ExtensionHostError(.launchFailed, "\(bundle.identifier): \(problem)")
        }
    }

    /// The entitlements of the bundle and of its app, as they are now.
    public var entitlements: GroupEntitlements {
        GroupEntitlements(own: ownEntitlements, app: app.map(Entitlements.read(in:)))
    }

    /// The entitlements of the bundle itself, as they are now.
    public var ownEntitlements: Entitlements { bundle.isProgram ? Entitlements() : .read(in: file) }

    /// Opens the folder that contains a program without a bundle.
    ///
    /// - Throws: the errors of `openResolved`.
    public func folder(outside containers: FolderIdentity?) throws(SystemError) -> ViewFile {
        try ViewFile(bundle.folder, outside: containers)
    }
}

/// The identifier of an app, read from its bundle. The loop may call this, as it may open a bundle for a launch.
package enum ApplicationIdentifier {
    /// Returns the identifier; nil if the bundle has no readable one.
    package static func read(at path: String, outside containers: FolderIdentity?) -> String? {
        guard let app = try? ViewFile(path, outside: containers) else { return nil }
        for place in ["Info.plist", "Contents/Info.plist"] {
            guard let file = try? app.read(place),
                let bytes = try? readFile(file, maximumSize: BundleInformation.fileLimit)
            else { continue }
            let identifier = (try? PropertyList(file: bytes, limits: .packet, form: .authored))?.dictionary?[
                "CFBundleIdentifier"]?
                .string
            return identifier.flatMap { BundleInformation.isIdentifier($0) ? $0 : nil }
        }
        return nil
    }
}

/// The rule that no bundle is reached through the folder of containers.
enum ContainerRule {
    static let problem = """
        the path of the bundle leads through the folder of containers, where extensions can replace it. Move the bundle into another \
        folder
        """

    static func problem(_ error: SystemError, at path: String) -> String {
        switch error.code {
        case EXDEV: problem
        case ENOENT, ENOTDIR: "the bundle is missing. Build it into \(path)"
        default: "\(path) cannot be opened: \(error)"
        }
    }
}

extension Entitlements {
    /// Reads the entitlements at the top of an opened bundle, or in its `Contents`. Without a file there are none.
    fileprivate static func read(in bundle: ViewFile) -> Entitlements {
        let isFlat = (try? bundle.file("Info.plist")) != nil || (try? bundle.file("Contents/Info.plist")) == nil
        let place = isFlat ? fileName : "Contents/\(fileName)"
        return read("\(bundle.path)/\(place)") { () throws(SystemError) in
            try readFile(try bundle.read(place), maximumSize: limits.bytes)
        }
    }
}
