// FolderWatch: what leads a path elsewhere while its folders are watched one by one.

import Glibc
import LinuxSystem
import Testing

@testable import ExtensionRegistry

@Suite struct FolderWatchTests {
    private let folder: ApplicationsFolder

    init() throws { folder = try ApplicationsFolder() }

    /// The link is led elsewhere after the folder behind it is watched and before its own is: nobody tells of that.
    @Test func aLinkLedElsewhereBeforeItsFolderIsWatchedIsFollowed() throws {
        let link = "\(folder.path)/links/current"
        for name in ["links", "one", "two"] { try folder.makeFolder("\(folder.path)/\(name)") }
        #expect(symlink("../one", link) == 0)
        let watch = try FolderWatch()
        #expect(watch.follow([link: .names], links: [link]).isWider)
        #expect(symlink("../two", link + ".new") == 0 && rename(link + ".new", link) == 0)

        let wanted: [String: WatchScope] = [link: .names, "\(folder.path)/links": .awaiting(["current"])]
        #expect(watch.follow(wanted, links: [link]).isWider)
        // Until each path has been found where it was, with all of them watched.
        var rounds = 1
        while watch.follow(wanted, links: [link]).isWider { rounds += 1 }
        #expect(rounds <= 2)
        #expect(watch.takeChanges() == false)
        try folder.makeFolder("\(folder.path)/one/other")
        #expect(watch.takeChanges() == false)
        try folder.makeFolder("\(folder.path)/two/other")
        #expect(watch.takeChanges())
    }

    /// The folder goes between a walk that found it and the watching that looks for it once more: its end must not be
    /// forgotten with it.
    @Test func aFolderThatGoesBeforeItIsLookedForOnceMoreIsTold() throws {
        let path = "\(folder.path)/one"
        try folder.makeFolder(path)
        let watch = try FolderWatch()
        #expect(watch.follow([path: .contents], links: []).isWider)
        #expect(rmdir(path) == 0)
        #expect(watch.follow([path: .contents], links: []).isWider)
        // Walked once more; what cannot be watched is passed over then.
        #expect(watch.follow([path: .contents], links: []).isWider == false)
    }

    /// Nor that of one that was never watched, while nothing else is watched anew.
    @Test func aFolderThatGoesBeforeItIsWatchedIsTold() throws {
        let watch = try FolderWatch()
        #expect(watch.follow(["\(folder.path)/gone": .contents], links: []).isWider)
        #expect(watch.follow(["\(folder.path)/gone": .contents], links: []).isWider == false)
    }

    /// As long as nothing is watched anew, nothing is asked of the kernel.
    @Test func twoPathsToOneFolderRestAsSoonAsBothAreWatched() throws {
        let link = "\(folder.path)/link"
        try folder.makeFolder("\(folder.path)/one")
        #expect(symlink("one", link) == 0)
        let watch = try FolderWatch()
        let wanted: [String: WatchScope] = [link: .contents, "\(folder.path)/one": .names]
        #expect(watch.follow(wanted, links: [link]).isWider)
        #expect(watch.follow(wanted, links: [link]).isWider == false)
        try folder.makeFolder("\(folder.path)/one/other")
        #expect(watch.takeChanges())
        #expect(watch.follow([:], links: []).isWider == false)
        try folder.makeFolder("\(folder.path)/one/another")
        #expect(watch.takeChanges() == false)
    }
}
