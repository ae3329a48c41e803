// ShownProfiles: the platforms whose limits can be chosen, for people and programs; they are part of this program.

import ExtensionPoints

/// The action of `show --profile`.
struct ShownProfiles {
    let name: String?
    let global: GlobalOptions

    func write() throws {
        guard let name else {
            return try StandardOutput.write(
                global.json ? JSON.array(PlatformProfile.all.map(\.json)).document : Self.table(PlatformProfile.all))
        }
        guard let profile = PlatformProfile.named(name) else {
            throw CommandError.missing("there is no profile \(name)", remedy: "exthostctl show --profile lists them")
        }
        try StandardOutput.write(global.json ? profile.json.document : Self.block(profile))
    }

    private static func table(_ profiles: [PlatformProfile]) -> String {
        var table = Table("PROFILE", "PLATFORM", "VERSION", .number("POINTS"), "UNRESPONSIVE", "SUSPENDS")
        for profile in profiles {
            table.add(
                profile.name, profile.title, profile.version ?? "-", "\(profile.memory.count)",
                profile.endsUnresponsive.map { $0.value ? "ended" : "left" } ?? "-",
                profile.suspension.map { written($0.value) } ?? "-")
        }
        return table.text(emptyNote: "There are no profiles.")
    }

    private static func written(_ suspension: PlatformProfile.Suspension) -> String {
        switch suspension {
        case .background: "in the background"
        case .resignActive: "at resign-active"
        }
    }

    private static func block(_ profile: PlatformProfile) -> String {
        var text = "\(profile.name)\n" + ListedExtension.entry("Platform", profile.title)
        if let version = profile.version { text += ListedExtension.entry("Version", version) }
        if let habit = profile.endsUnresponsive {
            text += ListedExtension.entry(
                "Unresponsive", "\(habit.value ? "ended" : "left alone"), \(habit.provenance.rawValue): \(habit.source)"
            )
        }
        if let habit = profile.suspension {
            text += ListedExtension.entry(
                "Suspends", "\(written(habit.value)), \(habit.provenance.rawValue): \(habit.source)")
        }
        var table = Table("POINT", .number("MEMORY"), "KNOWN", "SOURCE")
        for (point, figure) in profile.memory.sorted(by: { $0.key < $1.key }) {
            table.add(point, exthostctl.written(bytes: figure.bytes), figure.provenance.rawValue, figure.source)
        }
        let note =
            "Limits of that platform's devices: a program may need more memory here. They apply with exthostd --profile."
        return text + "\n" + table.text(emptyNote: "No limit is known.") + (profile.memory.isEmpty ? "" : "\n\(note)\n")
    }
}

extension PlatformProfile {
    /// The profile as JSON. Unknown values are null.
    var json: JSON {
        [
            "name": .string(name), "title": .string(title), "version": version.map { .string($0) } ?? .null,
            "memory": .object(
                memory.sorted { $0.key < $1.key }.map { point, figure in
                    (
                        point,
                        [
                            "bytes": .integer(figure.bytes), "provenance": .string(figure.provenance.rawValue),
                            "source": .string(figure.source),
                        ]
                    )
                }),
            "endsUnresponsive": endsUnresponsive.map {
                [
                    "value": .boolean($0.value), "provenance": .string($0.provenance.rawValue),
                    "source": .string($0.source),
                ]
            } ?? .null,
            "suspension": suspension.map {
                [
                    "value": .string($0.value.rawValue), "provenance": .string($0.provenance.rawValue),
                    "source": .string($0.source),
                ]
            } ?? .null,
        ]
    }
}
