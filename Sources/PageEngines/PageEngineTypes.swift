// PageEngineTypes: the engines of this program.

package import PageMessages

package enum PageEngineTypes {
    /// The types of engines, a line each.
    package static var all: [any PageEngine.Type] {
        [
            WPEEngine.self, ChromiumEngine.self, JSCEngine.self,
        ]
    }

    /// Starts an engine.
    ///
    /// - Throws: `PageFault.missing`.
    package static func start(_ kind: PageEngineKind) throws(PageFault) -> any PageEngine {
        guard let type = all.first(where: { $0.kind == kind }) else {
            throw .missing(
                what: "the engine \(kind.rawValue) in this exthost-pagehost",
                package: kind.packages.joined(separator: " "))
        }
        return try type.init()
    }
}
