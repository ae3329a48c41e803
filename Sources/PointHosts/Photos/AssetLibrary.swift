// AssetLibrary: photos and videos in a folder: of each the original, the current rendering and the adjustment data.

public import ExtensionHost
import Foundation
import Glibc
import LinuxDescriptors
public import PointMessages

/// A folder of assets, which outlives its host. Several hosts may use it at the same time.
///
/// An asset is a folder with the original, which never changes, and a property list. The list names the current
/// rendering and has the adjustment data. A new list replaces the old one in one step, after the rendering is on the
/// disk: a process that is killed leaves the asset as it was, or with the whole edit. What it has left besides is
/// deleted at the next edit.
public struct AssetLibrary: Sendable {
    /// An asset as it was when it was read.
    public struct Asset: Sendable, Hashable, Identifiable {
        public let id: String
        /// Whether it is a photo or a video.
        public let media: PhotoMedia
        /// The bits of `PHAssetMediaSubtype`.
        public let subtypes: Int
        /// Seconds since 1970.
        public let created: Double?
        /// The place where it was taken.
        public let place: PhotoPlace?
        /// The name of the file that was added.
        public let fileName: String
        /// The format of the original.
        public let format: MediaFormat
        /// The path of the original.
        public let original: String
        /// The path of the current rendering; nil for an asset without an edit.
        public let rendering: String?
        /// The description of the edit; nil for an asset without one.
        public let adjustment: PhotoAdjustment?

        /// The path of the file that shows the current state.
        public var current: String { rendering ?? original }

        /// The path of the file that an extension gets.
        func input(_ continuesEdit: Bool) -> String { continuesEdit ? original : current }
    }

    /// A step of an edit's storage, at whose end a test may kill the process.
    package enum Step: String, Sendable, CaseIterable {
        case copied, checked, synchronized, listWritten, listReplaced, oldRemoved
    }

    /// A function that is called after each step.
    package var onStep: @Sendable (Step) -> Void = { _ in }

    static let list = "asset.plist"
    /// The prefix of the folders of assets that are being added.
    private static let draft = "adding-"
    /// The largest number of assets that are listed, and of files that an asset has.
    private static let most = 100_000

    /// The largest file of a photo or a video, in bytes (ours).
    static func largestFile(_ media: PhotoMedia) -> Int { media == .video ? 4 << 30 : 256 << 20 }

    /// The folder.
    public let folder: String

    /// Opens a library. The folder is made if it is missing.
    ///
    /// - Throws: `ExtensionHostError` `stateUnavailable`.
    public init(folder: String) throws(ExtensionHostError) {
        self.folder = folder
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw Self.unavailable(folder, "\(error)")
        }
        removeDrafts()
    }

    private static func unavailable(_ what: String, _ cause: String) -> ExtensionHostError {
        ExtensionHostError(
            .stateUnavailable, "\(what) cannot be stored in the library",
            remedy: "Name a folder that the host may write, on a disk with free space", cause: cause)
    }

    /// Deletes the assets that killed processes have half added.
    private func removeDrafts() {
        for name in (try? listDirectory(folder, maximumCount: Self.most)) ?? [] where name.hasPrefix(Self.draft) {
            let path = "\(folder)/\(name)"
            // The process that adds an asset has locked its folder.
            guard let lock = try? openDirectory(path), (try? lockFile(lock.raw, exclusive: true)) == true else {
                continue
            }
            try? removeTree(path)
        }
    }

    // MARK: Assets

    /// Adds a copy of a file: a photo (JPEG, PNG) or a video (QuickTime).
    ///
    /// - Parameters:
    ///   - path: the file: a photo of at most 256 MiB, a video of at most 4 GiB.
    ///   - subtypes: the bits of `PHAssetMediaSubtype`.
    ///   - created: seconds since 1970; nil: not known.
    ///   - place: where it was taken; nil: not known.
    /// - Returns: the new asset.
    /// - Throws: `ExtensionHostError`: `invalidArgument` for a file that is none of these, `stateUnavailable`.
    public func add(
        _ path: String, subtypes: Int = 0, created: Double? = nil, place: PhotoPlace? = nil
    ) throws(ExtensionHostError) -> Asset {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let format: MediaFormat
        let source: SharedDescriptor
        do {
            source = SharedDescriptor(try openForReading(path))
            guard let found = try AssetFiles.format(of: source.raw) else {
                throw ExtensionHostError(
                    .invalidArgument, "\(path) is no JPEG, PNG or QuickTime file", remedy: "Add such a file")
            }
            format = found
        } catch let error as ExtensionHostError {
            throw error
        } catch {
            throw ExtensionHostError(
                .invalidArgument, "\(path) cannot be read", remedy: "Name a regular file", cause: "\(error)")
        }
        let id = UUID().uuidString
        let draft = "\(folder)/\(Self.draft)\(id)"
        do {
            guard mkdir(draft, 0o700) == 0 else { throw SystemError("mkdir") }
            let lock = SharedDescriptor(try openDirectory(draft))
            _ = try lockFile(lock.raw, exclusive: true)
            // A process that another thread has just forked has the descriptor, too, and the asset may be edited next.
            defer { flock(lock.raw, LOCK_UN) }
            let original = "original.\(format.fileExtension)"
            try AssetFiles.copy(source.raw, to: "\(draft)/\(original)", upTo: Self.largestFile(format.media))
            var record = AssetRecord(original: original, fileName: name, format: format, subtypes: subtypes)
            (record.created, record.place) = (created, place)
            try record.write(to: "\(draft)/\(Self.list)")
            guard fsync(lock.raw) == 0, rename(draft, "\(folder)/\(id)") == 0 else { throw SystemError("rename") }
            try AssetFiles.synchronize(folder: folder)
        } catch {
            try? removeTree(draft)
            throw Self.unavailable(path, "\(error)")
        }
        return try asset(id)
    }

    /// Returns the assets, in the order of their identifiers. A folder that is no asset is left out.
    ///
    /// - Throws: `ExtensionHostError` `stateUnavailable` if the folder cannot be read.
    public func assets() throws(ExtensionHostError) -> [Asset] {
        do {
            return try listDirectory(folder, maximumCount: Self.most).compactMap { try? asset($0) }
        } catch {
            throw Self.unavailable(folder, "\(error)")
        }
    }

    /// Returns an asset.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if there is none of this identifier.
    public func asset(_ id: String) throws(ExtensionHostError) -> Asset {
        guard UUID(uuidString: id) != nil, let record = try? AssetRecord(reading: "\(folder)/\(id)/\(Self.list)") else {
            throw ExtensionHostError(
                .invalidArgument, "the library has no asset \(id)", remedy: "Use the id of one of its assets")
        }
        return record.asset(id, in: "\(folder)/\(id)")
    }

    /// Drops the edit of an asset. The original is its current state again.
    ///
    /// - Throws: `ExtensionHostError`: `invalidArgument`, `notPermitted` while it is being edited, `stateUnavailable`.
    public func revert(_ id: String) throws(ExtensionHostError) {
        let edit = try edit(id)
        defer { edit.release() }
        try edit.store(nil, nil)
    }

    /// Locks an asset for an edit, and deletes what a killed process has left in its folder.
    ///
    /// - Throws: `ExtensionHostError`: `invalidArgument`, `notPermitted` while another edit has it, `stateUnavailable`.
    package func edit(_ id: String) throws(ExtensionHostError) -> AssetEdit {
        _ = try asset(id)
        let path = "\(folder)/\(id)"
        let lock: SharedDescriptor
        do {
            lock = SharedDescriptor(try openDirectory(path))
            guard try lockFile(lock.raw, exclusive: true) else {
                throw ExtensionHostError(
                    .notPermitted, "the asset \(id) is being edited", remedy: "Finish or cancel that edit first")
            }
        } catch let error as ExtensionHostError {
            throw error
        } catch {
            throw Self.unavailable(id, "\(error)")
        }
        // Another edit may have ended between the two.
        let asset = try asset(id)
        let used = [asset.original, asset.current, "\(path)/\(Self.list)"]
        for name in (try? listDirectory(path, maximumCount: Self.most)) ?? [] where !used.contains("\(path)/\(name)") {
            unlink("\(path)/\(name)")
        }
        return AssetEdit(library: self, asset: asset, folder: path, lock: lock)
    }
}
