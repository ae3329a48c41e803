// Reduction: which copies are left of an extension that there are several of (spec 2.3).

import ExtensionProtocol

/// `pluginkit`'s rule: the last registered instance of the highest version.
enum Reduction {
    /// Writes to each copy of one identifier its rule, and gives the position in `group` of the one that is used: of
    /// the first one when none can be.
    static func judge(_ copies: inout [RegisteredCopy], _ group: ArraySlice<Int>) -> Int {
        if group.count == 1, let only = group.first {
            copies[only].rule = copies[only].bundle.problems.isEmpty ? .onlyCopy : .disabled
            return 0
        }
        let usable = group.filter { copies[$0].bundle.problems.isEmpty }
        guard let winner = usable.max(by: { isBefore(copies[$0], copies[$1]) }) else {
            for index in group { copies[index].rule = .disabled }
            return 0
        }
        let highest = BundleVersion(copies[winner].bundle.version)
        let rivals = usable.count { BundleVersion(copies[$0].bundle.version) == highest }
        for index in group where index != winner {
            copies[index].isSuperseded = true
            copies[index].rule =
                !copies[index].bundle.problems.isEmpty
                ? .disabled : BundleVersion(copies[index].bundle.version) == highest ? .registeredEarlier : .lowerVersion
        }
        copies[winner].rule = usable.count == 1 ? .onlyCopy : rivals == 1 ? .highestVersion : .lastRegistered
        return (group.firstIndex(of: winner) ?? group.startIndex) - group.startIndex
    }

    /// What is left of copies in the order of identifiers, all of which can be used.
    static func reduce(_ copies: [RegisteredCopy], allVersions: Bool) -> [RegisteredCopy] {
        var kept: [RegisteredCopy] = []
        var group = copies[...]
        while let identifier = group.first?.bundle.identifier {
            let members = group.prefix { $0.bundle.identifier == identifier }
            group = group.dropFirst(members.count)
            if members.count == 1 {
                kept += members
            } else if allVersions {
                let latest = Dictionary(members.map { (BundleVersion($0.bundle.version), $0) }) {
                    $0.registered < $1.registered ? $1 : $0
                }
                kept += latest.sorted { $1.key < $0.key }.map(\.value)
            } else if let winner = members.max(by: isBefore) {
                kept.append(winner)
            }
        }
        return kept
    }

    private static func isBefore(_ left: RegisteredCopy, _ right: RegisteredCopy) -> Bool {
        let (one, other) = (BundleVersion(left.bundle.version), BundleVersion(right.bundle.version))
        return one == other ? left.registered < right.registered : one < other
    }
}
