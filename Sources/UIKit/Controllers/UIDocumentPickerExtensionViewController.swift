// UIDocumentPickerExtensionViewController: a document picker, the principal class of a document picker extension.

public import Foundation

/// The modes of a document picker. Apple has deprecated the name.
public enum UIDocumentPickerMode: Int, Sendable {
    /// The host gets a copy of a document.
    case `import`
    /// The host works on a document in the provider's storage.
    case open
    /// The picker has copied the host's document to a place of its own.
    case exportToService
    /// The picker has moved the host's document into the provider's storage.
    case moveToService
}

/// The connection of a document picker to its host, which the module `DocumentPickerService` makes.
@MainActor package protocol DocumentPickerConnection: AnyObject {
    var mode: UIDocumentPickerMode { get }
    var originalURL: URL? { get }
    var validTypes: [String]? { get }
    var providerIdentifier: String { get }
    var documentStorageURL: URL? { get }
    func dismiss(granting url: URL?)
}

/// A document picker: the principal class of an extension at `com.apple.fileprovider-ui`. Apple has deprecated it.
///
/// A program of a document picker is linked with the product `DocumentPickerService`, which connects it to its host.
/// Without a host, as in an app, there is no document and no storage.
@MainActor @preconcurrency open class UIDocumentPickerExtensionViewController: UIViewController {
    /// The connection of the controller that is being made.
    package static var starting: (any DocumentPickerConnection)?

    private let connection = UIDocumentPickerExtensionViewController.starting

    /// Prepares the view for a mode. It is called once, before the view appears.
    open func prepareForPresentation(in mode: UIDocumentPickerMode) {}

    /// Takes the view down, and gives the host the document. It counts once.
    ///
    /// - Parameter url: for import, any file that the extension can read; for open and move, a file inside
    ///   `documentStorageURL`; for export, the copy, which the host cannot open. Nil: the person has chosen nothing.
    open func dismissGrantingAccess(to url: URL?) { connection?.dismiss(granting: url) }

    open var documentPickerMode: UIDocumentPickerMode { connection?.mode ?? .import }
    /// The document to export or to move, which the extension can read until the session ends; else nil.
    open var originalURL: URL? { connection?.originalURL }
    /// The uniform type identifiers that the person can choose from, for import and open; else nil.
    open var validTypes: [String]? { connection?.validTypes }
    /// The identifier of the file provider of the same group; empty without one.
    open var providerIdentifier: String { connection?.providerIdentifier ?? "" }
    /// The folder of the file provider's documents; nil without a provider of the same group.
    open var documentStorageURL: URL? { connection?.documentStorageURL }
}

extension UIDocumentPickerViewController {
    /// Makes a shell for a choice of these types. Apple has deprecated it.
    public convenience init(documentTypes allowedUTIs: [String], in mode: UIDocumentPickerMode) {
        self.init(nibName: nil, bundle: nil)
    }
    /// Makes a shell for an export or a move. Apple has deprecated it.
    public convenience init(url: URL, in mode: UIDocumentPickerMode) { self.init(nibName: nil, bundle: nil) }
    /// Makes a shell for an export or a move. Apple has deprecated it.
    public convenience init(urls: [URL], in mode: UIDocumentPickerMode) { self.init(nibName: nil, bundle: nil) }
}
