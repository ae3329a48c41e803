// BundleCoding: a bundle as the index keeps it: texts and lists, each with its length before it.

/// A private form: what another version wrote is not read, and the bundle is read anew.
enum BundleCoding {
    /// Raised with every change of what is kept, or of how a bundle is judged.
    private static let version: UInt8 = 3

    static func encode(_ bundle: ExtensionBundle) -> [UInt8] {
        var bytes: [UInt8] = [version]
        bytes.reserveCapacity(bundle.information.count + 512)
        func put(_ text: some Collection<UInt8>) {
            withUnsafeBytes(of: UInt32(text.count).littleEndian) { bytes += $0 }
            bytes += text
        }
        func put(_ text: String?) {
            bytes.append(text == nil ? 0 : 1)
            if let text { put(text.utf8) }
        }
        for text in [
            bundle.identifier, bundle.version, bundle.shortVersion, bundle.displayName, bundle.shortName, bundle.point,
        ] { put(text.utf8) }
        for text in [bundle.principalClass, bundle.executable, bundle.containingApp, bundle.parentName] { put(text) }
        bytes.append(UInt8(min(bundle.warnings.count, 255)))
        for warning in bundle.warnings.prefix(255) { put(warning.utf8) }
        // How it is offered: whether that is known, and what.
        let summary = bundle.offerSummary
        bytes.append(summary.map { 1 | ($0.takesRules ? 2 : 0) | ($0.declaresTypes ? 4 : 0) } ?? 0)
        put(summary?.problem)
        put(summary?.warning)
        put(bundle.information)
        put(bundle.appTypeDeclarations)
        return bytes
    }

    /// nil for what is no bundle of this version.
    static func decode(_ bytes: UnsafeRawBufferPointer, path: String) -> ExtensionBundle? {
        var rest = bytes[...]
        func take(_ count: Int) -> UnsafeRawBufferPointer? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
        }
        func block() -> UnsafeRawBufferPointer? {
            take(4).flatMap { take(Int(UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)))) }
        }
        func text() -> String? { block().map { String(decoding: $0, as: UTF8.self) } }
        // Outer nil: the bytes end too soon.
        func optional() -> String?? {
            switch take(1)?.first {
            case 0: .some(nil)
            case 1: text().map { .some($0) }
            default: nil
            }
        }
        guard take(1)?.first == version, let identifier = text(), let number = text(), let shortVersion = text(),
            let displayName = text(), let shortName = text(), let point = text(), let principalClass = optional(),
            let executable = optional(), let containingApp = optional(), let parentName = optional(), let count = take(1)?.first
        else { return nil }
        var warnings: [String] = []
        for _ in 0..<count {
            guard let warning = text() else { return nil }
            warnings.append(warning)
        }
        guard let flags = take(1)?.first, let problem = optional(), let warning = optional() else { return nil }
        guard let information = block(), let appTypes = block(), rest.isEmpty else { return nil }
        var bundle = ExtensionBundle(
            identifier: identifier, version: number, shortVersion: shortVersion, displayName: displayName, shortName: shortName,
            point: point, principalClass: principalClass, executable: executable, path: path, containingApp: containingApp,
            parentName: parentName, warnings: warnings, information: Array(information), appTypeDeclarations: Array(appTypes))
        if flags & 1 != 0 {
            bundle.offerSummary = OfferSummary(
                takesRules: flags & 2 != 0, declaresTypes: flags & 4 != 0, problem: problem, warning: warning)
        }
        return bundle
    }
}
