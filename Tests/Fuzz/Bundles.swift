// bundles: any bytes as an Info.plist: typed, or its faults named; and as an entry of the index.

import ExtensionProtocol
import PropertyListCoding

let inputPrefix = 0
let inputTakesXML = true
let inputWords =
    [
        "CFBundleIdentifier", "CFBundleVersion", "CFBundleShortVersionString", "CFBundleDisplayName", "CFBundleName",
        "CFBundleExecutable", "CFBundlePackageType", "NSExtension", "NSExtensionAttributes", "NSExtensionPointIdentifier",
        "NSExtensionPrincipalClass", "NSExtensionMainStoryboard", "NSExtensionFileProviderActions",
        "NSExtensionFileProviderActionIdentifier", "NSExtensionFileProviderActionName",
        "NSExtensionFileProviderActionActivationRule", "NSExtensionActivationRule", "NSExtensionServiceRoleType",
        "PHSupportedMediaTypes", "UIDocumentPickerModes", "UNNotificationExtensionCategory", "IntentsSupported",
        "RequestsOpenAccess",
        "com.example.app", "com.example.app.share", "1.2.3", "XPC!", "..", "a/b", "YES", "Image",
    ] + ExtensionDeclaration.ServiceRole.allCases.map(\.rawValue)

private let app = ContainingApp(
    path: "/A.app", file: Array("<plist><dict><key>CFBundleIdentifier</key><string>com.example.app</string></dict></plist>".utf8))

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    let bytes = input.all()
    var read = BundleInformation(file: bytes)
    checkTexts(read)
    let isUsable = read.problems.isEmpty
    if isUsable {
        must(read.identifier.map(BundleInformation.isIdentifier) == true, "a usable bundle without an identifier")
        must(read.declaration.point?.isEmpty == false, "a usable bundle without a point")
        must(read.executable.map { !$0.contains("/") && $0 != ".." } == true, "a usable bundle whose program may lie elsewhere")
        must(!read.packed.isEmpty && read.packed.count <= BundleInformation.packedLimit, "a usable bundle that is not kept")
    }
    if !read.packed.isEmpty {
        let again = BundleInformation(file: read.packed)
        must(again.identifier == read.identifier && again.executable == read.executable, "the packed form names another bundle")
        must(again.problems == read.problems && again.warnings == read.warnings, "the packed form has other faults")
        must(again.packed == read.packed, "the packed form changes")
    }
    read.check(against: app)
    checkTexts(read)
    must(isUsable || !read.problems.isEmpty, "an app mends a bundle")
    let other = ContainingApp(path: "/B.app", file: bytes)
    must(other.identifier.map(BundleInformation.isIdentifier) ?? true, "an app whose identifier is none")

    let bundle = ExtensionBundle(
        identifier: read.identifier ?? "/x", version: read.version ?? "0", displayName: read.displayName, shortName: read.name,
        point: read.declaration.point ?? "", principalClass: read.declaration.principalClass, executable: read.executable,
        path: "/x",
        containingApp: other.identifier, parentName: other.displayName, warnings: read.warnings, information: read.packed)
    let kept = BundleCoding.encode(bundle)
    must(kept.withUnsafeBytes { BundleCoding.decode($0, path: "/x") } == bundle, "the index keeps another bundle")
    _ = bundle.activationRule
    let version = BundleVersion(bundle.version)
    must(version == version && !(version < version), "a version that differs from itself")
    for text in [
        "CFBundleVersion", "CFBundleVersion=\(bundle.version)", "NSExtensionPointName=\(bundle.point)", "IntentsSupported=x",
    ] {
        if let criterion = Criterion(written: text) { _ = criterion.holds(of: bundle) }
    }
    // What lies in a damaged index.
    bytes.withUnsafeBytes { bytes in
        if let decoded = BundleCoding.decode(bytes, path: "/x") {
            // Text in it may have been mended.
            let again = BundleCoding.encode(decoded).withUnsafeBytes { BundleCoding.decode($0, path: "/x") }
            must(again == decoded, "an entry of the index that is kept otherwise")
        }
    }
    return 0
}

private func checkTexts(_ read: BundleInformation) {
    for text in read.problems + read.warnings {
        must(!text.isEmpty && text.utf8.count < 4000 && text.contains(". "), "a fault without a remedy: \(text.prefix(200))")
    }
}
