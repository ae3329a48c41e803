// PageScriptFile: the file with an extension's script.

internal import ExtensionHost
internal import LinuxDescriptors
internal import PageMessages
internal import PropertyListCoding

/// The script that an extension's Info.plist names.
struct PageScriptFile {
    /// The key of its name, without `.js`.
    static let key = "NSExtensionJavaScriptPreprocessingFile"

    /// The name of the file.
    let name: String
    let text: String

    /// Reads the script of an extension; nil if it names none.
    ///
    /// - Throws: `ScriptFailure` `noFile`, `tooLarge`.
    init?(of declaration: (path: String, attributes: PropertyListDictionary)) throws(ScriptFailure) {
        guard let named = declaration.attributes[Self.key]?.string, !named.isEmpty else { return nil }
        name = named + ".js"
        guard !named.contains("/"), !named.utf8.contains(0) else {
            throw ScriptFailure(.noFile, "“\(named)” in \(Self.key) is no name of a file in the bundle")
        }
        // A bundle of macOS has its resources in a folder of their own.
        for folder in ["", "Contents/Resources/"] {
            let path = "\(declaration.path)/\(folder)\(name)"
            do throws(SystemError) {
                text = String(
                    decoding: try readFile(path, maximumSize: PageBounds.script, followingLinks: false), as: UTF8.self)
                return
            } catch {
                if error.isMissing { continue }
                if error.isTooLarge {
                    let most = PageBounds.written(PageBounds.script)
                    throw ScriptFailure(.tooLarge, "\(name) has more than \(most)", file: name)
                }
                throw ScriptFailure(.noFile, "\(path) cannot be read: \(error)", file: name)
            }
        }
        let hint = named.hasSuffix(".js") ? "; \(Self.key) has the name without .js" : ""
        throw ScriptFailure(.noFile, "\(declaration.path) has no file \(name)\(hint)", file: name)
    }
}

extension SystemError {
    fileprivate var isMissing: Bool { code == 2 }
    fileprivate var isTooLarge: Bool { code == 27 }
}
