// SharedDefaultsTests: values of Foundation, in the forms that an author asks for.

import Foundation
import PropertyListCoding
import Testing

@testable import AppGroups

@Suite struct SharedDefaultsTests {
    // spec: P-546
    @Test func valuesOfAllKindsComeBack() throws {
        let folder = try GroupFolder()
        let (writer, reader) = (try folder.defaults(), try folder.defaults())
        writer.set("text", forKey: "text")
        writer.set(42, forKey: "number")
        writer.set(2.5, forKey: "double")
        writer.set(Float(1.5), forKey: "float")
        writer.set(true, forKey: "truth")
        let date = Date(timeIntervalSinceReferenceDate: 1000.5)
        writer.set(date, forKey: "date")
        writer.set(Data([1, 2, 3]), forKey: "data")
        writer.set(Data(repeating: 7, count: 100_000), forKey: "much")
        writer.set(["a", "b"], forKey: "texts")
        writer.set(
            ["list": [1, "two", ["three": 3.5, "data": Data([9])]] as [Any], "truth": false] as [String: Any],
            forKey: "nested")
        #expect(reader.string(forKey: "text") == "text")
        #expect(reader.integer(forKey: "number") == 42)
        #expect(reader.double(forKey: "double") == 2.5)
        #expect(reader.float(forKey: "float") == 1.5)
        #expect(reader.bool(forKey: "truth"))
        #expect(reader.object(forKey: "date") as? Date == date)
        #expect(reader.data(forKey: "data") == Data([1, 2, 3]))
        #expect(reader.object(forKey: "data") as? Data == Data([1, 2, 3]))
        #expect(reader.data(forKey: "much")?.count == 100_000)
        #expect(reader.stringArray(forKey: "texts") == ["a", "b"])
        #expect(reader.array(forKey: "texts")?.count == 2)
        let nested = reader.dictionary(forKey: "nested")
        let list = nested?["list"] as? [Any]
        #expect(list?[0] as? Int == 1)
        #expect(list?[1] as? String == "two")
        #expect((list?[2] as? [String: Any])?["three"] as? Double == 3.5)
        #expect(nested?["truth"] as? Bool == false)
        #expect(reader.object(forKey: "truth") as? Bool == true)
        #expect(reader.value(forKey: "number") as? Int == 42)
    }

    /// The rules of the header of Apple's class.
    // spec: P-546
    @Test func formsAreTurnedIntoOneAnotherAsDocumented() throws {
        let folder = try GroupFolder()
        let defaults = try folder.defaults()
        for (text, truth) in [
            ("YES", true), ("true", true), ("1", true), ("yes", true), ("NO", false), ("0", false), ("x", false),
            ("", false),
        ] {
            defaults.set(text, forKey: "text")
            #expect(defaults.bool(forKey: "text") == truth, "\(text)")
        }
        defaults.set("12abc", forKey: "text")
        #expect(defaults.integer(forKey: "text") == 12)
        defaults.set("2.5", forKey: "text")
        #expect(defaults.double(forKey: "text") == 2.5)
        #expect(defaults.float(forKey: "text") == 2.5)
        defaults.set(7, forKey: "number")
        #expect(defaults.string(forKey: "number") == "7")
        #expect(defaults.bool(forKey: "number"))
        #expect(defaults.double(forKey: "number") == 7)
        defaults.set(2.75, forKey: "number")
        #expect(defaults.integer(forKey: "number") == 2)
        defaults.set(0.5, forKey: "number")
        #expect(defaults.bool(forKey: "number"))
        defaults.set(true, forKey: "truth")
        #expect(defaults.integer(forKey: "truth") == 1)
        defaults.set([1, 2], forKey: "list")
        #expect(defaults.stringArray(forKey: "list") == nil)
        #expect(defaults.string(forKey: "list") == nil)
        #expect(defaults.integer(forKey: "list") == 0)
        #expect(defaults.data(forKey: "number") == nil)
        #expect(defaults.integer(forKey: "absent") == 0)
        #expect(!defaults.bool(forKey: "absent"))
    }

    @Test(arguments: ["https://example.org/a?b=c#d", "mailto:a@example.org", "file:///tmp/a%20b"])
    func addressesComeBack(
        _ text: String
    ) throws {
        let folder = try GroupFolder()
        let url = try #require(URL(string: text))
        try folder.defaults().set(url, forKey: "url")
        #expect(try folder.defaults().url(forKey: "url") == url)
        // As a value of no known type, too.
        try folder.defaults().setValue(url, forKey: "any")
        #expect(try folder.defaults().url(forKey: "any") == url)
        try folder.defaults().set(nil as URL?, forKey: "url")
        #expect(try folder.defaults().object(forKey: "url") == nil)
    }

    @Test func aKeyPathOfOneKeyIsThatKey() throws {
        let folder = try GroupFolder()
        let defaults = try folder.defaults()
        defaults.setValue("large", forKeyPath: "size")
        #expect(defaults.value(forKeyPath: "size") as? String == "large")
        #expect(defaults.value(forKeyPath: "size.unit") == nil && defaults.value(forKeyPath: "color") == nil)
    }

    @Test func aRelativeAddressKeepsItsBase() throws {
        let folder = try GroupFolder()
        let defaults = try folder.defaults()
        let url = URL(string: "b?c", relativeTo: URL(string: "https://example.org/a/"))
        defaults.set(url, forKey: "url")
        #expect(defaults.url(forKey: "url")?.absoluteString == "https://example.org/a/b?c")
    }

    @Test func whatIsNoAddressIsNone() throws {
        let folder = try GroupFolder()
        let defaults = try folder.defaults()
        defaults.set(Data("rubbish".utf8), forKey: "url")
        #expect(defaults.url(forKey: "url") == nil)
        defaults.set(5, forKey: "url")
        #expect(defaults.url(forKey: "url") == nil)
    }

    @Test func removedAndNilIsNothing() throws {
        let folder = try GroupFolder()
        let defaults = try folder.defaults()
        defaults.set(1, forKey: "a")
        defaults.set(1, forKey: "b")
        defaults.removeObject(forKey: "a")
        defaults.set(nil, forKey: "b")
        #expect(defaults.object(forKey: "a") == nil)
        #expect(defaults.object(forKey: "b") == nil)
        #expect(defaults.synchronize())
    }

    @Test func registeredValuesStandBelowAndAreNotKept() throws {
        let folder = try GroupFolder()
        let defaults = try folder.defaults()
        let (key, other) = ("registered-\(UUID())", "other-\(UUID())")
        defaults.register(defaults: [key: "registered", other: "registered"])
        #expect(defaults.string(forKey: key) == "registered")
        defaults.set("set", forKey: key)
        #expect(defaults.string(forKey: key) == "set")
        let all = defaults.dictionaryRepresentation()
        #expect(all[key] as? String == "set")
        #expect(all[other] as? String == "registered")
        defaults.removeObject(forKey: key)
        #expect(defaults.string(forKey: key) == "registered")
        #expect(defaults.persistentDomain(forName: GroupFolder.name)?.isEmpty == true)
    }

    @Test func theWholeGroupIsReplacedAtOnce() throws {
        let folder = try GroupFolder()
        let defaults = try folder.defaults()
        defaults.set(1, forKey: "a")
        defaults.setPersistentDomain(["b": 2, "c": ["d": true]], forName: GroupFolder.name)
        #expect(try folder.store().values() == ["b": 2, "c": ["d": true]])
        defaults.removePersistentDomain(forName: GroupFolder.name)
        #expect(try folder.store().values().isEmpty)
    }

    @Test func aChangeIsPostedInItsOwnProcess() async throws {
        let folder = try GroupFolder()
        let defaults = try folder.defaults()
        let (posts, continuation) = AsyncStream.makeStream(of: Void.self)
        let token = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(token) }
        defaults.set(1, forKey: "a")
        defaults.set(1, forKey: "a")  // no change
        defaults.removeObject(forKey: "a")
        continuation.finish()
        var count = 0
        for await _ in posts { count += 1 }
        #expect(count == 2)
    }

    @Test func anotherNameIsFoundationsOwn() throws {
        let name = "org.example.\(UUID())"
        let defaults = try #require(UserDefaults(suiteName: name))
        #expect(type(of: defaults) == UserDefaults.self)
        let notHeld = try #require(UserDefaults(suiteName: "group.org.example.not-held"))
        #expect(type(of: notHeld) == UserDefaults.self && notHeld.object(forKey: "a") == nil)
        #expect(
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.org.example.not-held") == nil
        )
    }
}
