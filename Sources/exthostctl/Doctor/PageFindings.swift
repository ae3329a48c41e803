// PageFindings: a check of the engines that show web pages, and of the program that does it for hosts.

import ExtensionProtocol
import PageMessages
import PointHosts

struct PageFindings {
    func finding() async -> DoctorFinding {
        do {
            let programs = try PageHostPrograms()
            let engines = try await PageEngineSearch(programs: programs).all()
            let works = engines.compactMap { engine in engine.facts.map { "\(engine.kind.rawValue) (\($0.version))" } }
            guard works.isEmpty else { return .ok(.pageEngines, works.joined(separator: ", ")) }
            return .warning(
                .pageEngines, engines.compactMap(\.error?.message).joined(separator: "; "),
                remedy: "apt install \(PageEngineKind.jsc.packages.joined(separator: " "))")
        } catch let error as ExtensionHostError {
            return .warning(.pageEngines, error.message, remedy: error.remedy ?? "")
        } catch {
            return .warning(.pageEngines, "\(error)", remedy: "")
        }
    }
}
