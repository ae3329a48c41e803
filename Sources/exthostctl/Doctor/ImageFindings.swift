// ImageFindings: a check of the libraries that decode images, and of the program that does it for hosts.

import ExtensionProtocol
import ImageCodecs
import PointHosts

struct ImageFindings {
    func finding() -> DoctorFinding {
        var missing: [String] = []
        var packages: [String] = []
        for format in ImageFormat.allCases {
            do throws(ImageCodecError) { try ImageCodec.load(format) } catch {
                guard case .libraryMissing(let library, let words) = error else { continue }
                missing.append("\(format.name) images stay bytes, because \(library.file) cannot be loaded (\(words))")
                packages.append(library.package)
            }
        }
        do throws(ExtensionHostError) {
            let program = try ImageHelperProgram.locate()
            let libraries = ImageFormat.allCases.map(\.library.file).joined(separator: " and ")
            guard !missing.isEmpty else { return .ok(.imageCodecs, "\(libraries) can be loaded; \(program)") }
            return .warning(
                .imageCodecs, missing.joined(separator: "; "),
                remedy: "apt install \(packages.joined(separator: " "))")
        } catch {
            return .warning(
                .imageCodecs, (missing + [error.message]).joined(separator: "; "), remedy: error.remedy ?? "")
        }
    }
}
