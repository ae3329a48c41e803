// bundles: any bytes as an Info.plist: typed, or its faults named; and as an entry of the index.

import ExtensionProtocol
import PropertyListCoding

let inputPrefix = 0
let inputTakesXML = true
let inputWords =
    [
        "CFBundleIdentifier", "CFBundleVersion", "CFBundleShortVersionString", "CFBundleDisplayName", "CFBundleName",
        "CFBundleExecutable", "CFBundlePackageType", "NSExtension", "NSExtensionAttributes",
        "NSExtensionPointIdentifier",
        "NSExtensionPrincipalClass", "NSExtensionMainStoryboard", "NSExtensionFileProviderActions",
        "NSExtensionFileProviderActionIdentifier", "NSExtensionFileProviderActionName",
        "NSExtensionFileProviderActionActivationRule", "NSExtensionActivationRule", "NSExtensionServiceRoleType",
        "PHSupportedMediaTypes", "UIDocumentPickerModes", "UNNotificationExtensionCategory", "IntentsSupported",
        "RequestsOpenAccess",
        "com.example.app", "com.example.app.share", "1.2.3", "XPC!", "..", "a/b", "YES", "Image",
    ] + ExtensionDeclaration.ServiceRole.allCases.map(\.rawValue)

private let app = ContainingApp(
    path: "/A.app",
    file: Array("<plist><dict><key>CFBundleIdentifier</key><string>com.example.app</string></dict></plist>".utf8))

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
        must(
            read.executable.map { !$0.contains("/") && $0 != ".." } == true,
            "a usable bundle whose program may lie elsewhere")
        must(
            !read.packed.isEmpty && read.packed.count <= BundleInformation.packedLimit,
            "a usable bundle that is not kept")
    }
    if !read.packed.isEmpty {
        let again = BundleInformation(file: read.packed)
        must(
            again.identifier == read.identifier && again.executable == read.executable,
            "the packed form names another bundle")
        must(again.problems == read.problems && again.warnings == read.warnings, "the packed form has other faults")
        must(again.packed == read.packed, "the packed form changes")
    }
    read.check(against: app)
    checkTexts(read)
    must(isUsable || !read.problems.isEmpty, "an app mends a bundle")
    let other = ContainingApp(path: "/B.app", file: bytes)
    must(other.identifier.map(BundleInformation.isIdentifier) ?? true, "an app whose identifier is none")

    let bundle = ExtensionBundle(
        identifier: read.identifier ?? "/x", version: read.version ?? "0", displayName: read.displayName,
        shortName: read.name,
        point: read.declaration.point ?? "", principalClass: read.declaration.principalClass,
        executable: read.executable,
        path: "/x",
        containingApp: other.identifier, parentName: other.displayName, warnings: read.warnings,
        information: read.packed)
    let kept = BundleCoding.encode(bundle)
    must(BundleCoding.decode(kept, path: "/x") == bundle, "the index keeps another bundle")
    must(bundle.declaration.point == read.declaration.point, "the packed form declares another point")
    must(bundle.activationRule == read.declaration.activationRule || !isUsable, "the packed form has another rule")
    checkVersions(BundleVersion(bundle.version), BundleVersion(bundle.shortVersion), BundleVersion(read.name ?? "1.0"))
    checkCriteria(bundle)
    checkFolder(of: bundle)
    var alone = read
    alone.check(against: ContainingApp(path: "/B.app"))
    must(alone.warnings.count == read.warnings.count + 1, "an app without an identifier is passed over in silence")
    checkTexts(alone)
    checkTexts(BundleInformation(problem: "there is none. Make one"))
    // What lies in a damaged index.
    if let decoded = BundleCoding.decode(bytes, path: "/x") {
        // Text in it may have been mended.
        must(
            BundleCoding.decode(BundleCoding.encode(decoded), path: "/x") == decoded,
            "an entry of the index that is kept otherwise")
    }
    checkIndex(bundle, bytes)
    return 0
}

/// An index of one bundle, as it was written, and with the input in place of a part of it.
private func checkIndex(_ bundle: ExtensionBundle, _ bytes: [UInt8]) {
    let entry = BundleIndex.Entry(
        path: "/x", registration: Registration(uuid: RequestIdentifier(words: (1, 2)), time: 3),
        stamp: BundleStamp(),
        bundle: bundle, isTrusted: true, listing: FolderListing())
    let file = IndexFile(generation: RequestIdentifier(words: (4, 5)), entries: [entry]).bytes
    must(IndexFile(file)?.bundles == [bundle], "the index file keeps another bundle")
    guard let first = bytes.first else { return }
    // Its checksum is right, so that the rest is looked at.
    var damaged = file
    let start = min(16 + Int(first), damaged.count)
    damaged.replaceSubrange(start..<min(start + bytes.count - 1, damaged.count), with: bytes.dropFirst())
    guard let read = IndexFile(IndexFile.sealed(damaged)) else { return }
    let again = IndexFile(read.bytes)
    must(again?.bundles == read.bundles && again?.generation == read.generation, "an index that is kept otherwise")
}

private func checkVersions(_ versions: BundleVersion...) {
    for one in versions {
        must(one == one && !(one < one), "a version that differs from itself")
        for other in versions {
            must(
                [one < other, one == other, other < one].count { $0 } == 1,
                "\(one.text) and \(other.text) have no order")
            must(one != other || Set([one, other]).count == 1, "equal versions with different hashes")
        }
    }
}

/// A process starts in its bundle, or beside its program.
private func checkFolder(of bundle: ExtensionBundle) {
    must(bundle.folder == "/x" && bundle.declaration.point ?? "" == bundle.point, "a bundle that starts elsewhere")
    for (path, folder) in [("/x/y", "/x"), ("/x", "/"), ("x", "/")] {
        let program = ExtensionBundle(
            identifier: "dev.x", point: bundle.point, executable: path, path: path, isProgram: true)
        must(program.folder == folder && program.informationDictionary.isEmpty, "a program that starts elsewhere")
    }
}

/// Whatever a bundle has can be asked for.
private func checkCriteria(_ bundle: ExtensionBundle) {
    must(Criterion.identifier(bundle.identifier).holds(of: bundle), "a bundle that is not of its own identifier")
    must(Criterion(key: "NSExtensionIdentifier", value: nil).isAtHand, "an identifier that has to be looked for")
    must(Criterion(written: "=\(bundle.version)") == nil, "a criterion without a key")
    _ = Criterion(written: "NSExtensionPointName=\(bundle.point)")?.holds(of: bundle)
    _ = Criterion(written: "NSExtensionPointIdentifier")?.holds(of: bundle)
    for (key, value) in bundle.informationDictionary {
        must(
            Criterion(key: key, value: nil).holds(of: bundle) || key == "NSExtensionPointIdentifier",
            "the key \(key) is not found")
        _ = Criterion(key: key, value: "1").holds(of: bundle)
        if case .string(let text) = value, bundle.informationDictionary["NSExtension"]?.dictionary == nil {
            must(
                Criterion(key: key, value: text).holds(of: bundle) || key.hasPrefix("NSExtension"),
                "the value of \(key) is not found")
        }
    }
}

private func checkTexts(_ read: BundleInformation) {
    for text in read.problems + read.warnings {
        must(
            !text.isEmpty && text.utf8.count < 4000 && text.contains(". "),
            "a fault without a remedy: \(text.prefix(200))")
    }
}
