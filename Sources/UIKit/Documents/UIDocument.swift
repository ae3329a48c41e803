// UIDocument: a document in a file, which a subclass reads and writes.

public import Foundation
import LinuxDescriptors
import UniformTypeIdentifiers

/// A document of an app in a file. A subclass makes its values of the contents, and the contents of them.
///
/// It really reads and writes. All its methods run on the main thread (ours: Apple's reads and writes on another one).
/// No coordinator is asked, no version is kept, and nothing saves by itself: an author calls `save` or `close`. Folders
/// cannot be documents, because Foundation on Linux has no `FileWrapper`.
@MainActor @preconcurrency open class UIDocument: NSObject {
    /// The kinds of a change.
    public enum ChangeKind: Int, Sendable { case done, undone, redone, cleared }
    /// The purposes of a save.
    public enum SaveOperation: Int, Sendable { case forCreating, forOverwriting }

    /// The states of a document. Only `closed`, `savingError` and `editingDisabled` occur here.
    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var normal: State { [] }
        public static let closed = State(rawValue: 1)
        public static let inConflict = State(rawValue: 1 << 1)
        public static let savingError = State(rawValue: 1 << 2)
        public static let editingDisabled = State(rawValue: 1 << 3)
        public static let progressAvailable = State(rawValue: 1 << 4)
    }

    /// The notification of a new `documentState`, on the main thread.
    public nonisolated static let stateChangedNotification = NSNotification.Name("UIDocumentStateChangedNotification")

    /// The file; that of the last save.
    open private(set) var fileURL: URL
    /// The date of the file when it was last read or written; nil before.
    open var fileModificationDate: Date?
    open private(set) var documentState: State = .closed {
        didSet {
            guard documentState != oldValue else { return }
            NotificationCenter.default.post(name: Self.stateChangedNotification, object: self)
        }
    }
    private var changes: Int = 0
    private var savedChanges: Int = 0
    /// The number of reads and writes that wait for the main queue.
    private var waiting: Int = 0

    /// Makes a closed document. It reads nothing.
    ///
    /// - Parameter url: the file, which need not exist.
    public init(fileURL url: URL) {
        fileURL = url
        super.init()
    }

    /// The name without its extension.
    open var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }
    /// The uniform type identifier of the name's extension; nil for an extension of no known type.
    open var fileType: String? { UTType(filenameExtension: fileURL.pathExtension)?.identifier }
    /// The type of the file to write: `fileType`.
    open var savingFileType: String? { fileType }
    /// Whether there are changes since the last read or save.
    open var hasUnsavedChanges: Bool { changes != savedChanges }

    // MARK: For subclasses

    /// Takes the contents. A subclass overrides it; this one fails.
    ///
    /// - Parameters:
    ///   - contents: a `Data`.
    ///   - typeName: the uniform type identifier.
    open func load(fromContents contents: Any, ofType typeName: String?) throws {
        throw CocoaError(.featureUnsupported)
    }

    /// Returns the contents to write: a `Data`. A subclass overrides it; this one fails.
    ///
    /// - Parameter typeName: the uniform type identifier; empty if there is none.
    open func contents(forType typeName: String) throws -> Any { throw CocoaError(.featureUnsupported) }

    /// Reads the file and gives its contents to `load(fromContents:ofType:)`.
    ///
    /// - Parameter url: a regular file of at most 1 GiB (ours); others fail.
    open func read(from url: URL) throws {
        let bytes: [UInt8]
        do {
            bytes = try readFile(url.path, maximumSize: 1 << 30)
        } catch {
            let code: CocoaError.Code =
                switch error.code {
                case ENOENT: .fileReadNoSuchFile
                case EACCES: .fileReadNoPermission
                case EFBIG: .fileReadTooLarge
                default: .fileReadUnknown
                }
            throw CocoaError(code, userInfo: [NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: error])
        }
        try load(fromContents: Data(bytes), ofType: fileType)
    }

    /// Writes contents in a way that leaves the old file or the new one, whatever happens.
    ///
    /// - Parameters:
    ///   - contents: a `Data`; others fail.
    ///   - additionalFileAttributes: no effect, because files here have no such attributes.
    ///   - url: the file.
    ///   - saveOperation: the purpose.
    open func writeContents(
        _ contents: Any, andAttributes additionalFileAttributes: [AnyHashable: Any]?, safelyTo url: URL,
        for saveOperation: SaveOperation
    ) throws {
        try writeContents(contents, to: url, for: saveOperation, originalContentsURL: fileURL)
    }

    /// Writes contents to a file, atomically.
    ///
    /// - Parameters:
    ///   - contents: a `Data`; others fail.
    ///   - url: the file.
    ///   - saveOperation: the purpose.
    ///   - originalContentsURL: the file of the last save.
    open func writeContents(
        _ contents: Any, to url: URL, for saveOperation: SaveOperation, originalContentsURL: URL?
    ) throws {
        if let data = contents as? Data {
            try data.write(to: url, options: .atomic)
        } else {
            throw CocoaError(.featureUnsupported)
        }
    }

    /// Returns the attributes of the file to write: none. They have no effect here.
    open func fileAttributesToWrite(to url: URL, for saveOperation: SaveOperation) throws -> [AnyHashable: Any] { [:] }

    /// Returns the extension of names of a type; that of the document if the type is unknown.
    open func fileNameExtension(forType typeName: String?, saveOperation: SaveOperation) -> String {
        typeName.flatMap { UTType($0)?.preferredFilenameExtension } ?? fileURL.pathExtension
    }

    /// Takes the error of a read or save. This one writes it to standard error.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - userInteractionPermitted: always false: nobody is asked.
    open func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        FileHandle.standardError.write(Data("UIDocument: \(fileURL.lastPathComponent): \(error)\n".utf8))
    }

    /// Does nothing: no error waits for an end.
    open func finishedHandlingError(_ error: any Error, recovered: Bool) {}
    /// Stops a person's editing. A subclass overrides it, and nothing calls it here.
    open func disableEditing() { documentState.insert(.editingDisabled) }
    /// Allows editing again. A subclass overrides it, and nothing calls it here.
    open func enableEditing() { documentState.remove(.editingDisabled) }

    // MARK: Reading and writing

    /// Reads the file.
    ///
    /// - Parameter completionHandler: called later on the main queue, with whether the document is open.
    open func open(completionHandler: ((Bool) -> Void)? = nil) {
        later(completionHandler) { [self] in try readAgain() }
    }

    /// Reads the file again, or another one, which the document then has. If that fails, it keeps its file.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - completionHandler: called later on the main queue, with whether it was read.
    open func revert(toContentsOf url: URL, completionHandler: ((Bool) -> Void)? = nil) {
        later(completionHandler) { [self] in
            let old: URL = fileURL
            fileURL = url
            do {
                try readAgain()
            } catch {
                fileURL = old
                throw error
            }
        }
    }

    /// Saves unsaved changes by `autosave`, and closes the document if that works.
    ///
    /// - Parameter completionHandler: called later on the main queue, with whether the document is closed.
    open func close(completionHandler: ((Bool) -> Void)? = nil) {
        autosave { [self] isSaved in
            if isSaved { documentState = .closed }
            completionHandler?(isSaved)
        }
    }

    /// Writes the contents to a file, which the document then has. The document is open after that.
    ///
    /// The contents are those at the time of the call.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - saveOperation: the purpose. A file of that name is replaced in both cases.
    ///   - completionHandler: called later on the main queue, with whether it was written.
    open func save(to url: URL, for saveOperation: SaveOperation, completionHandler: ((Bool) -> Void)? = nil) {
        let count: Int = changes
        let parts: Result<(contents: Any, attributes: [AnyHashable: Any]), any Error> = Result {
            (
                try contents(forType: savingFileType ?? ""),
                try fileAttributesToWrite(to: url, for: saveOperation)
            )
        }
        later(completionHandler) { [self] in
            do {
                let (contents, attributes) = try parts.get()
                try writeContents(contents, andAttributes: attributes, safelyTo: url, for: saveOperation)
            } catch {
                documentState.insert(.savingError)
                throw error
            }
            fileURL = url
            noteFile(count)
            documentState.subtract([.closed, .savingError])
        }
    }

    /// Saves unsaved changes by `save(to:for:completionHandler:)`, after the reads and writes that have begun.
    ///
    /// - Parameter completionHandler: called later on the main queue, with whether no change is left.
    open func autosave(completionHandler: ((Bool) -> Void)? = nil) {
        if waiting > 0 {
            // The author's handler runs on the main queue only.
            nonisolated(unsafe) let completion = completionHandler
            DispatchQueue.main.async {
                MainActor.assumeIsolated { self.autosave(completionHandler: completion) }
            }
        } else if hasUnsavedChanges {
            save(to: fileURL, for: .forOverwriting, completionHandler: completionHandler)
        } else {
            later(completionHandler) {}
        }
    }

    /// Reads the file, as `open(completionHandler:)`.
    ///
    /// - Returns: whether the document is open.
    @discardableResult open func open() async -> Bool {
        await withCheckedContinuation { done in open { done.resume(returning: $0) } }
    }

    /// Reads a file, as `revert(toContentsOf:completionHandler:)`.
    ///
    /// - Parameter url: the file.
    /// - Returns: whether it was read.
    @discardableResult open func revert(toContentsOf url: URL) async -> Bool {
        await withCheckedContinuation { done in revert(toContentsOf: url) { done.resume(returning: $0) } }
    }

    /// Saves and closes, as `close(completionHandler:)`.
    ///
    /// - Returns: whether the document is closed.
    @discardableResult open func close() async -> Bool {
        await withCheckedContinuation { done in close { done.resume(returning: $0) } }
    }

    /// Writes the contents, as `save(to:for:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - saveOperation: the purpose.
    /// - Returns: whether it was written.
    @discardableResult open func save(to url: URL, for saveOperation: SaveOperation) async -> Bool {
        await withCheckedContinuation { done in save(to: url, for: saveOperation) { done.resume(returning: $0) } }
    }

    /// Saves unsaved changes, as `autosave(completionHandler:)`.
    ///
    /// - Returns: whether no change is left.
    @discardableResult open func autosave() async -> Bool {
        await withCheckedContinuation { done in autosave { done.resume(returning: $0) } }
    }

    /// Notes a change of the values. Nothing is saved by that (ours).
    ///
    /// - Parameter change: the kind of the change.
    open func updateChangeCount(_ change: ChangeKind) {
        switch change {
        case .done, .redone: changes += 1
        case .undone: changes -= 1
        case .cleared: savedChanges = changes
        }
    }

    private func readAgain() throws {
        try read(from: fileURL)
        noteFile(changes)
        documentState.remove(.closed)
    }

    private func noteFile(_ count: Int) {
        savedChanges = count
        let attributes = try? FileManager.default.attributesOfItem(atPath: fileURL.path)
        fileModificationDate = attributes?[.modificationDate] as? Date
    }

    private func later(_ completion: ((Bool) -> Void)?, _ work: @escaping @MainActor () throws -> Void) {
        // The author's handler runs on the main queue only.
        nonisolated(unsafe) let completion = completion
        waiting += 1
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                self.waiting -= 1
                do {
                    try work()
                    completion?(true)
                } catch {
                    self.handleError(error, userInteractionPermitted: false)
                    completion?(false)
                }
            }
        }
    }
}
