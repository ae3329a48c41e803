// PlatformProfile+Bundles: the bundles that a platform cannot run, because of its system's version.

package import ExtensionPoints
import ExtensionProtocol
import PropertyListCoding

extension PlatformProfile {
    /// The first system with app extensions.
    private static let firstVersion = BundleVersion("8.0")

    /// Returns the reason, with its remedy, why this platform does not run an extension.
    ///
    /// Nil if it runs it, and without a version. With one, each call reads the packed `Info.plist` anew.
    package func problem(of bundle: ExtensionBundle) -> String? {
        guard let version else { return nil }
        let own = BundleVersion(version)
        guard own >= Self.firstVersion else {
            return "the profile \(name) is \(title), which has no app extensions. Choose ios-8 or a newer profile"
        }
        guard let minimum = bundle.informationDictionary["MinimumOSVersion"]?.string, BundleVersion(minimum) > own
        else {
            return nil
        }
        return "its MinimumOSVersion is \(minimum.cut(toBytes: 32)), and the profile \(name) has \(version). "
            + "Lower it, or choose a newer profile"
    }
}
