// ServiceDefinition: a service of the installation: its name, its program, and what the program may do.

package import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

/// A program that provides a service, as a property list of a folder `Services` describes it.
public struct ServiceDefinition: Sendable, Hashable {
    /// The name of the service, such as `org.exthost.transfers`.
    public let identifier: String
    /// The absolute path of the program.
    public let program: String
    /// The arguments of the program.
    public let arguments: [String]
    /// Whether the program may connect to the network.
    public let isNetworkClient: Bool
    /// Whether it may read and write all containers of its user.
    public let usesContainers: Bool
    /// Whether it is launched again after an end that nobody has ordered, and with a later daemon.
    public let keepsAlive: Bool

    /// Makes a definition; each value is described at its property.
    public init(
        _ identifier: String, program: String, arguments: [String] = [], isNetworkClient: Bool = false,
        usesContainers: Bool = false, keepsAlive: Bool = false
    ) {
        (self.identifier, self.program, self.arguments) = (identifier, program, arguments)
        (self.isNetworkClient, self.usesContainers, self.keepsAlive) = (isNetworkClient, usesContainers, keepsAlive)
    }

    /// Returns the program as a bundle, the form in which the daemon knows its process.
    ///
    /// - Throws: `helperMissing` if there is no such program.
    package func bundle() throws(ExtensionHostError) -> ExtensionBundle {
        guard access(program, X_OK) == 0 else {
            throw ExtensionHostError(
                .helperMissing, "the program of \(identifier) is missing: \(program)",
                remedy: "Install exthostd again, or correct Program in the property list of the service")
        }
        var bundle = ExtensionBundle(
            identifier: identifier, point: "", executable: program, path: program, isProgram: true)
        bundle.isService = true
        return bundle
    }

    // MARK: Property lists

    fileprivate struct Problem: Error { let text: String }

    fileprivate static func read(_ path: String, identifier: String) throws(Problem) -> ServiceDefinition {
        guard let bytes = try? readFile(path, maximumSize: 64 << 10),
            let plist = try? PropertyList(file: bytes, limits: .packet).dictionary
        else { throw Problem(text: "it cannot be read as a property list") }
        guard let program = plist["Program"]?.string, program.hasPrefix("/") else {
            throw Problem(text: "Program names no absolute path")
        }
        guard BundleInformation.isIdentifier(identifier), identifier.utf8.count <= 128 else {
            throw Problem(text: "its name is no identifier of at most 128 letters, digits, hyphens and dots")
        }
        for key in plist.map(\.0).sorted() where !keys.contains(key) {
            throw Problem(text: "the key \(key) is not known; the keys are \(keys.joined(separator: ", "))")
        }
        func flag(_ key: String) throws(Problem) -> Bool {
            guard let value = plist[key] else { return false }
            guard let flag = value.boolean else { throw Problem(text: "\(key) is neither true nor false") }
            return flag
        }
        let arguments = plist["Arguments"]?.array ?? []
        guard plist["Arguments"] == nil || plist["Arguments"]?.array != nil, arguments.allSatisfy({ $0.string != nil })
        else { throw Problem(text: "Arguments is no array of strings") }
        return ServiceDefinition(
            identifier, program: program, arguments: arguments.compactMap(\.string),
            isNetworkClient: try flag("NetworkClient"), usesContainers: try flag("Containers"),
            keepsAlive: try flag("KeepAlive"))
    }

    private static let keys = ["Program", "Arguments", "NetworkClient", "Containers", "KeepAlive"]
}

/// The services whose programs the daemon launches.
public struct ServiceDefinitions: Sendable {
    private var byName: [String: ServiceDefinition] = [:]
    /// A sentence for each file that describes no service.
    public private(set) var problems: [String] = []

    private static let filesLimit = 64

    /// Makes an empty set.
    public init() {}

    /// Reads the property lists of folders, the most important first. A file that is none disables only itself.
    ///
    /// - Parameter installed: the services of the installation, which a file of the same name replaces.
    public init(folders: [String], installed: [ServiceDefinition]) {
        for definition in installed { byName[definition.identifier] = definition }
        for folder in folders.reversed() {
            let names = (try? listDirectory(folder, maximumCount: 4096)) ?? []
            for name in names.filter({ $0.hasSuffix(".plist") }).sorted().prefix(Self.filesLimit) {
                let identifier = String(name.dropLast(6))
                do throws(ServiceDefinition.Problem) {
                    byName[identifier] = try ServiceDefinition.read("\(folder)/\(name)", identifier: identifier)
                } catch {
                    problems.append("\(folder)/\(name): \(error.text)")
                }
            }
        }
    }

    /// The services whose programs are launched again.
    public var keptAlive: [String] { byName.values.filter(\.keepsAlive).map(\.identifier).sorted() }

    /// The names of all services.
    public var names: [String] { byName.keys.sorted() }

    /// The service with a name; nil if no program provides it.
    public subscript(_ identifier: String) -> ServiceDefinition? { byName[identifier] }
}
