// Reduction: the choice among several copies of an extension (spec 2.3).

import ExtensionProtocol

/// `pluginkit`'s rule: the last registered instance of the highest version.
enum Reduction {
    /// Writes its rule to each copy of one identifier.
    ///
    /// - Returns: the position in `group` of the copy that is used, or of the first one if none can be used.
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
                ? .disabled
                : BundleVersion(copies[index].bundle.version) == highest ? .registeredEarlier : .lowerVersion
        }
        copies[winner].rule = usable.count == 1 ? .onlyCopy : rivals == 1 ? .highestVersion : .lastRegistered
        return (group.firstIndex(of: winner) ?? group.startIndex) - group.startIndex
    }

    /// Returns the remaining copies of a list of usable ones, which is sorted by identifier.
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
