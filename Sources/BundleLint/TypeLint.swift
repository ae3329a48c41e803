// TypeLint: the checks of the types and timers that an Info.plist declares.

import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import PropertyListCoding
import UniformTypeIdentifiers

struct TypeLint {
    let information: InformationFile

    func check(_ report: inout LintReport) {
        let reader = TypeDeclarationReader(information.dictionary)
        for fault in reader.faults {
            information.report(&report, .typeDeclarationInvalid, fault.key, fault.message, remedy: fault.remedy)
        }
        var seen: Set<String> = []
        let exported = reader.types.filter { $0.origin == .exported }
        for type in reader.types {
            let isExported = type.origin == .exported
            let key = isExported ? "UTExportedTypeDeclarations" : "UTImportedTypeDeclarations"
            // An imported declaration that says the same as the exported one changes nothing.
            let isRepeated =
                !isExported
                && exported.contains {
                    $0.identifier == type.identifier && $0.supertypes == type.supertypes && $0.tags == type.tags
                }
            if !seen.insert(type.identifier.lowercased()).inserted, !isRepeated {
                information.report(
                    &report, .typeDuplicate, key, "\(type.identifier) is declared twice",
                    remedy: "Remove one declaration; for a type of your own, the imported one")
            }
            if isExported, ["public.", "com.apple."].contains(where: type.identifier.lowercased().hasPrefix) {
                information.report(
                    &report, .typeReserved, key, "only the system may declare \(type.identifier)",
                    remedy: "Name your own type after your own domain, or import this one")
            }
            if type.supertypes.isEmpty {
                information.report(
                    &report, .typeWithoutParents, key,
                    "\(type.identifier) conforms to no type, so only a rule with its own name accepts it",
                    remedy: "Add UTTypeConformsTo, such as public.data")
            }
        }
    }

    /// Checks `ExtensionHostTimers`, which bundles in development have.
    func checkTimers(isRelease: Bool, _ report: inout LintReport) {
        let key = DevelopmentTimers.key
        guard let value = information.dictionary[key] else { return }
        if isRelease {
            information.report(
                &report, .timersInRelease, key, "\(key) has no effect in an installed bundle",
                remedy: "Remove it for the release"
            )
        }
        guard let settings = value.dictionary else {
            information.report(
                &report, .timersNotDictionary, key, "\(key) is no dictionary", remedy: "Write it as <dict>…</dict>")
            return
        }
        let names = Timers.Name.allCases.map(\.rawValue)
        for (name, setting) in settings {
            if Timers.Name(rawValue: name) == nil {
                information.report(
                    &report, .timerUnknown, "\(key).\(name)", "there is no timer “\(name.cut(toBytes: 64))”",
                    remedy: "Choose among \(names.joined(separator: ", "))")
            } else if Duration(setting: setting) == nil {
                information.report(
                    &report, .timerInvalid, "\(key).\(name)", "the timer \(name) has no duration",
                    remedy: "Write 500ms, 3s or 5min, or a number of seconds")
            }
        }
    }
}
