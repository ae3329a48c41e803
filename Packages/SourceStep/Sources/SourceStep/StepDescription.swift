// StepDescription: what the tool is given: the targets with their files.

/// The input of the step, as JSON or in memory.
public struct StepDescription: Codable, Sendable {
    public struct Target: Codable, Sendable {
        /// The module's name.
        public var module: String
        /// Absolute paths of Swift files.
        public var files: [String]
        /// Names of modules that an `import` finds; nil if that is not known.
        public var known: [String]?
        /// Whether the target is linked with the kit's module of background sessions; nil if that is not known.
        public var transfers: Bool?
        /// Whether the target is linked with the kit's module of the keychain; nil if that is not known.
        public var keychain: Bool?

        public init(
            module: String, files: [String], known: [String]? = nil, transfers: Bool? = nil, keychain: Bool? = nil
        ) {
            self.module = module
            self.files = files
            self.known = known
            self.transfers = transfers
            self.keychain = keychain
        }

        /// Whether a copy may import a module.
        func knows(_ module: String) -> Bool { known?.contains(module) ?? true }
    }

    public var targets: [Target]
    /// Whether files that need no change are copied, too. A build plugin's are: it names its outputs beforehand.
    public var copiesAll: Bool?
    /// The folder below which copies keep their folders; nil for the one that all files of a target are in.
    public var root: String?
    /// Whether the report lists names that no file of the target declares.
    public var listsNames: Bool?
    /// Folders of Swift sources whose declarations count as known for these names.
    public var knownSources: [String]?
    /// Compiled modules (`.swiftmodule`) whose names count as known.
    public var knownModules: [String]?

    public init(targets: [Target]) { self.targets = targets }
}
