// OpenedBundle: a bundle as it is opened for a launch: everything that the launch takes from it comes by these descriptors.

public import ExtensionProtocol
import Glibc
public import LinuxSystem
import PropertyListCoding

/// The folder of a bundle and that of the app around it, or a program without a bundle, open since they were checked. No path of theirs is
/// looked up again for the launch.
public struct OpenedBundle: Sendable {
    public let bundle: ExtensionBundle
    /// The `.appex` or `.app`; of a program without a bundle, the program.
    public let file: ViewFile
    /// The app around an extension.
    public let app: ViewFile?

    /// Looks at a few files.
    ///
    /// - Parameter containers: extensions write there, and could lead any path through it elsewhere: such a bundle is refused.
    /// - Throws: `launchFailed`, with what is wrong, where the bundle or its program is not what it was when the registry read it.
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
        GroupEntitlements(own: bundle.isProgram ? Entitlements() : .read(in: file), app: app.map(Entitlements.read(in:)))
    }

    /// The folder that a program without a bundle lies in.
    ///
    /// - Throws: what `openResolved` throws.
    public func folder(outside containers: FolderIdentity?) throws(SystemError) -> ViewFile {
        try ViewFile(bundle.folder, outside: containers)
    }
}

/// That no bundle is reached through the folder of containers.
enum ContainerRule {
    static let problem = """
        the way to the bundle leads through the folder of containers, where extensions write and could lead it elsewhere. Put the bundle \
        into another folder
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
    /// Those at the top of an opened bundle, or in its `Contents`. Without a file there are none.
    fileprivate static func read(in bundle: ViewFile) -> Entitlements {
        let isFlat = (try? bundle.file("Info.plist")) != nil || (try? bundle.file("Contents/Info.plist")) == nil
        let place = isFlat ? fileName : "Contents/\(fileName)"
        return read("\(bundle.path)/\(place)") { () throws(SystemError) in
            try readFile(try bundle.read(place), maximumSize: limits.bytes)
        }
    }
}
