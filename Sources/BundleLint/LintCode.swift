// LintCode: the stable name of each fault that lint finds; docs/lint.md has a row for each.

import ActivationRules

/// A kind of fault. Names are stable: scripts and continuous integration compare them.
public enum LintCode: String, Sendable, Hashable, CaseIterable {
    // The Info.plist as a file.
    case informationMissing, informationUnreadable, informationTooLarge, informationNotDictionary
    // Any key.
    case wrongValueType, variableLeft, keyRepeated
    // The bundle's identity.
    case identifierMissing, identifierInvalid, identifierPrefix, identifierDuplicate, identifierShared
    case versionMissing, versionMalformed, versionMismatch, shortVersionMissing, shortVersionMismatch
    case packageType, displayNameMissing
    // The program.
    case executableMissing, executableHasFolders, executableFileMissing, executableIsLink, executableNotRegular
    case executableNotExecutable, executableUnknownFormat, executableNotProgram, executableWrongMachine,
        executableWrongClass
    case scriptInterpreterMissing
    // The links of the program.
    case executableDamaged, libraryUnreadable, libraryNotFound, libraryWrongMachine, hostOnlyLibrary, unsafeImport
    // The frameworks that programs load.
    case staticProgramLoadsSwiftFramework, frameworkLinkedForOlderSystem
    // Declarations that an extension cannot have.
    case backgroundModes, captureNotAvailable, textEntryInWidget
    // NSExtension.
    case extensionMissing, extensionNotDictionary, pointMissing, pointUnknown
    case classAndStoryboard, classMissing, classForm, classNotFound, storyboardWithoutInterface
    case unknownKey, misspeltKey, misplacedKey
    // The rule, beside its own warnings.
    case ruleMissing, ruleUnused, ruleUnreadable, misspeltActivationKey, actionWithoutRule
    // The modes of a document picker.
    case pickerWithoutModes
    // The server of a message filter.
    case networkURLInvalid
    // The warnings of a rule that can be read; `RuleWarning.Code` has the same names.
    case truePredicate, neverMatches, countsItemsNotAttachments, emptyItemMatches, urlMatchesFiles, missingModifier
    case unknownKeyPath, unknownType, lenientNumber, invalidCount, invalidVersion, unknownActivationKey,
        nothingSupported
    case strictWithoutVersion2, contradictoryCounts
    // The script that runs in a web page.
    case scriptWithoutWebPage, scriptNamedWithSuffix, scriptMissing
    // Types, timers and limits.
    case typeDeclarationInvalid, typeDuplicate, typeReserved, typeWithoutParents
    case timersNotDictionary, timerUnknown, timerInvalid, timersInRelease
    case limitsNotDictionary, limitUnknown, limitInvalid, limitsInRelease
    // Entitlements.
    case entitlementsUnreadable, groupsNotList, groupWildcard, groupInvalid, groupNotHeldByApp, groupOfAnotherVendor
    case groupWithoutPrefix, entitlementWithoutEffect
    // Files.
    case libraryOutsideFrameworks, extensionOutsidePlugIns, worldWritable, setUserProgram, linkLeadsOut, filesUnread
    // The app.
    case appInformation, noExtensions

    /// The severity of a finding of this code, unless the rule that it is about sets another.
    public var severity: LintFinding.Severity {
        switch self {
        case .identifierShared, .versionMissing, .versionMalformed, .versionMismatch, .shortVersionMissing,
            .shortVersionMismatch, .packageType, .displayNameMissing, .pointUnknown, .neverMatches,
            .scriptWithoutWebPage,
            .classForm, .storyboardWithoutInterface, .unknownKey, .ruleUnused, .actionWithoutRule, .pickerWithoutModes,
            .networkURLInvalid,
            .typeReserved,
            .typeWithoutParents, .timersInRelease, .limitsInRelease, .libraryOutsideFrameworks, .filesUnread,
            .groupOfAnotherVendor, .groupWithoutPrefix, .keyRepeated,
            .noExtensions, .groupNotHeldByApp, .entitlementWithoutEffect, .hostOnlyLibrary, .unsafeImport,
            .backgroundModes,
            .captureNotAvailable, .textEntryInWidget, .staticProgramLoadsSwiftFramework, .frameworkLinkedForOlderSystem,
            .truePredicate, .countsItemsNotAttachments, .emptyItemMatches, .urlMatchesFiles, .unknownType,
            .lenientNumber,
            .strictWithoutVersion2:
            .warning
        default: .error
        }
    }

    /// Whether a store refuses it, so that it is an error in a release.
    ///
    /// The sources are spec 3.1, 3.3 and the guide, “Using an Embedded Framework to Share Code”.
    public var isErrorInRelease: Bool {
        switch self {
        case .truePredicate, .versionMismatch, .shortVersionMismatch, .hostOnlyLibrary, .unsafeImport: true
        default: false
        }
    }

    /// Whether Xcode builds a bundle with this error. The daemon ignores the entry, or never offers the extension.
    ///
    /// `exthostctl bundle` reports such an error of an Xcode project as a warning, except with `--release`.
    public var isAcceptedByXcode: Bool {
        switch self {
        case .ruleMissing, .ruleUnreadable, .misspeltActivationKey, .missingModifier, .unknownKeyPath, .invalidCount,
            .invalidVersion, .unknownActivationKey, .nothingSupported, .contradictoryCounts, .misspeltKey,
            .misplacedKey, .scriptNamedWithSuffix, .scriptMissing, .typeDeclarationInvalid, .typeDuplicate,
            .groupsNotList, .groupWildcard, .groupInvalid:
            true
        default: false
        }
    }

    /// Converts the code of a rule's own warning.
    init(_ code: RuleWarning.Code) {
        self =
            switch code {
            case .truePredicate: .truePredicate
            case .neverMatches: .neverMatches
            case .countsItemsNotAttachments: .countsItemsNotAttachments
            case .emptyItemMatches: .emptyItemMatches
            case .urlMatchesFiles: .urlMatchesFiles
            case .missingModifier: .missingModifier
            case .unknownKeyPath: .unknownKeyPath
            case .unknownType: .unknownType
            case .lenientNumber: .lenientNumber
            case .invalidCount: .invalidCount
            case .invalidVersion: .invalidVersion
            case .unknownActivationKey: .unknownActivationKey
            case .nothingSupported: .nothingSupported
            case .strictWithoutVersion2: .strictWithoutVersion2
            case .contradictoryCounts: .contradictoryCounts
            }
    }
}
