// WPEContentRules: content rule lists in the hands of WebKit itself.

internal import CPageEngines
internal import LinuxDescriptors
package import PageMessages

extension WPEEngine {
    /// Compiles a content rule list by WebKit's own compiler, and puts it in force for the pages that are loaded after,
    /// in place of the former one.
    ///
    /// WebKit hides elements some time after the load that a rule is about.
    ///
    /// - Parameter rules: the text of the list, in JSON.
    /// - Returns: WebKit's words about an invalid list, after which no list is in force; nil for a valid one.
    package func compile(_ rules: String) throws(PageFault) -> String? {
        let folder = try rulesFolder()
        let bytes = Array(rules.utf8)
        return try perform { exthost_wpe_compile(engine, folder, bytes, bytes.count, &$0) }
    }

    /// The URLs of the loads that failed since `load`, up to 1 MiB. Loads that a rule blocked are not among them.
    package func loads() throws(PageFault) -> [String] {
        let text = try perform { exthost_wpe_loads(engine, &$0) } ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private func rulesFolder() throws(PageFault) -> String {
        if let rules { return rules.path }
        do {
            let folder = try TemporaryDirectory(prefix: "exthost-rules")
            rules = folder
            return folder.path
        } catch {
            throw .engine("there is no folder for compiled rules: \(error)")
        }
    }
}
