// ProfileTests: the profiles that come with the program: every file is among them, and every figure says how anybody
// knows.

import Foundation
import Testing

@testable import ExtensionPoints

@Suite struct ProfileTests {
    // spec: P-530
    @Test func everyFileIsAProfileAndSaysWhereItsFiguresComeFrom() throws {
        let folder =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Sources/ExtensionPoints/Profiles"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(
            PlatformProfile.all.map { $0.name + ".plist" } == files, "in the order of names, each named by its file")
        let points = PointTable()
        for file in files {
            let profile = try PlatformProfile(
                file: Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))))
            #expect(profile == PlatformProfile.named(profile.name), "the build has taken \(file) in")
            for (point, figure) in profile.memory {
                #expect(points[declared: point] != nil, "\(file) names a point that there is not: \(point)")
                #expect(!figure.source.isEmpty && ResourceLimits.Name.memory.bounds.contains(figure.bytes))
            }
            let suspension = profile.suspension
            #expect(suspension?.provenance == .documented)
            #expect(suspension?.value == (profile.name == "strict" ? .resignActive : .background))
            #expect(profile.endsUnresponsive?.value == true)
        }
        #expect(PlatformProfile.named("ios-9000") == nil)
    }

    /// Those that spec 5.3 reports with a version.
    // spec: P-530, P-532, NX-19
    @Test(arguments: [
        ("ios-8", "com.apple.widget-extension", 16), ("ios-8", "com.apple.keyboard-service", 48),
        ("ios-12", "com.apple.share-services", 120), ("ios-15", "com.apple.networkextension.filter-data", 6),
        ("ios-16", "com.apple.networkextension.filter-data", 50), ("ipados-26", "com.apple.keyboard-service", 90),
    ])
    func theReportedFiguresAreThere(_ profile: String, _ point: String, _ megabytes: Int) {
        let figure = PlatformProfile.named(profile)?.memory[point]
        #expect(figure?.bytes == megabytes << 20 && figure?.provenance == .observed)
    }
}
