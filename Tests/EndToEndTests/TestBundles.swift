// TestBundles: application folders made for one test: the puppet, and programs that are no extensions.

import Foundation
import Glibc
import LinuxSystem
import TestPrograms

/// What a puppet is written in.
enum Language: String, Sendable, CaseIterable { case swift, python }

/// A folder of applications in a temporary place, removed with `remove` or at the end of its last reference.
final class TestBundles: Sendable {
    let directory: TemporaryDirectory
    var path: String { directory.path }

    /// Starts with `Tests.app` and nothing in it. The identifiers of its extensions begin with the app's.
    init(application identifier: String = "org.exthost.tests") throws {
        directory = try TemporaryDirectory(prefix: "exthost-tests")
        try FileManager.default.createDirectory(atPath: path + "/Tests.app/PlugIns", withIntermediateDirectories: true)
        try write(["CFBundleIdentifier": identifier], to: path + "/Tests.app/Info.plist")
    }

    deinit { try? directory.remove() }

    /// With the puppet in the given language: the same acts, on another foundation.
    /// `rule` decides what it is offered; by default everything, as it is told what to do by items of any kind.
    static func withPuppet(
        _ language: Language = .swift, point: String = "com.apple.share-services", rule: Any? = "TRUEPREDICATE"
    ) throws -> TestBundles {
        let bundles = try TestBundles()
        switch language {
        case .swift:
            try bundles.add(
                "puppet", program: SampleApplications.buildFolder + "/Puppet", point: point,
                principalClass: "Puppet.Puppet",
                rule: rule)
        case .python:
            try bundles.add(
                "puppet", script: try source("Tests/Fixtures/Python/puppet.py"),
                beside: ["exthost.py": try source("Sources/Samples/Python/exthost.py")], point: point, rule: rule)
        }
        return bundles
    }

    /// A file of this package.
    static func source(_ path: String) throws -> String {
        try String(contentsOfFile: SampleApplications.root + "/" + path, encoding: .utf8)
    }

    /// Adds `org.exthost.tests.NAME`, or what `identifier` says, with a copy of a built program.
    /// `information` are more keys of its `Info.plist`.
    func add(
        _ name: String, identifier: String? = nil, program: String, point: String = "com.apple.share-services",
        principalClass: String? = nil, rule: Any? = "TRUEPREDICATE", information: [String: Any] = [:]
    ) throws {
        let bundle = try folder(name)
        let executable = bundle + "/" + name
        if link(program, executable) != 0 {
            try FileManager.default.copyItem(atPath: program, toPath: executable)
            try waitForWriters(of: executable)
        }
        try describe(name, bundle, point, principalClass, identifier, rule, more: information)
    }

    /// Adds `org.exthost.tests.NAME` with a script, which speaks no protocol unless it does so itself.
    /// `beside` are more files in the bundle, by name.
    func add(
        _ name: String, script: String, mode: Int = 0o755, beside: [String: String] = [:],
        point: String = "com.apple.share-services", identifier: String? = nil, principalClass: String? = nil,
        rule: Any? = "TRUEPREDICATE"
    ) throws {
        let bundle = try folder(name)
        for (file, text) in beside { try Data(text.utf8).write(to: URL(fileURLWithPath: bundle + "/" + file)) }
        let executable = bundle + "/" + name
        try Data(script.utf8).write(to: URL(fileURLWithPath: executable))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: executable)
        try waitForWriters(of: executable)
        try describe(name, bundle, point, principalClass, identifier, rule)
    }

    private func folder(_ name: String) throws -> String {
        let bundle = "\(path)/Tests.app/PlugIns/\(name).appex"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: false)
        return bundle
    }

    private func describe(
        _ name: String, _ bundle: String, _ point: String, _ principalClass: String?, _ identifier: String?,
        _ rule: Any?,
        more: [String: Any] = [:]
    ) throws {
        var declaration: [String: Any] = ["NSExtensionPointIdentifier": point]
        declaration["NSExtensionPrincipalClass"] = principalClass
        if let rule { declaration["NSExtensionAttributes"] = ["NSExtensionActivationRule": rule] }
        let information: [String: Any] = [
            "CFBundleIdentifier": identifier ?? "org.exthost.tests.\(name)", "CFBundleExecutable": name,
            "CFBundleVersion": "1",
            "NSExtension": declaration,
        ]
        try write(information.merging(more) { $1 }, to: bundle + "/Info.plist")
    }

    /// In one step: a walk that looks meanwhile finds the list that was there or the new one, and never half of it.
    func write(_ dictionary: [String: Any], to path: String) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: dictionary, format: .xml, options: 0)
        let draft = path + ".draft"
        try data.write(to: URL(fileURLWithPath: draft))
        guard rename(draft, path) == 0 else { throw SystemError("rename") }
    }
}
