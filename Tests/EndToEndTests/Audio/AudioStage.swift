// AudioStage: the audio units of a fixture, or of the samples, and a host of them.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import PointHosts
import PointMessages

struct AudioStage {
    static let identifier = "org.exthost.tests.sound"

    let daemon: TestDaemon
    let host: HostApplication
    let units: AudioUnitHost
    /// A folder for files of audio.
    let folder: String

    /// `NSExtension` of a unit of the fixture: the subtype is what it does.
    static func declaration(
        _ subtype: String, type: String = "aufx", point: String = AudioUnitHost.point,
        principalClass: String = "Soundbox.SoundboxFactory", more: [String: Any] = [:]
    ) -> [String: Any] {
        let component: [String: Any] = [
            "type": type, "subtype": subtype, "manufacturer": "Test", "name": "Tests: Sound \(subtype)", "version": 7,
            "tags": ["Effects", "Tests"], "sandboxSafe": true, "factoryFunction": "SoundboxFactory",
        ]
        return [
            "NSExtensionPointIdentifier": point, "NSExtensionPrincipalClass": principalClass,
            "NSExtensionAttributes": ["AudioComponents": [component]].merging(more) { $1 },
        ]
    }

    static func add(
        to bundles: TestBundles, _ name: String, _ declaration: [String: Any]
    ) throws {
        try bundles.add(
            name, program: SampleApplications.buildFolder + "/Soundbox", rule: nil,
            information: ["NSExtension": declaration])
    }

    /// Runs a body with a daemon and the unit of the fixture.
    static func with<Value>(
        _ declaration: [String: Any], clock: TestDaemon.ClockKind = .virtual,
        settings: AudioUnitHost.Settings = .init(),
        _ body: (AudioStage) async throws -> Value
    ) async throws -> Value {
        let bundles = try TestBundles()
        try add(to: bundles, "sound", declaration)
        return try await with(applications: bundles.path, clock: clock, settings: settings, body)
    }

    /// Runs a body with a daemon and the units of a folder of apps.
    static func with<Value>(
        applications: String, clock: TestDaemon.ClockKind = .virtual, settings: AudioUnitHost.Settings = .init(),
        _ body: (AudioStage) async throws -> Value
    ) async throws -> Value {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        return try await withTestDaemon(applications: [applications], clock: clock) { daemon in
            let host = try await daemon.host("studio").application
            return try await body(
                AudioStage(
                    daemon: daemon, host: host, units: AudioUnitHost(host, settings: settings), folder: folder.path))
        }
    }

    func session(
        _ identifier: String = AudioStage.identifier, view: AudioUnitHost.View = .none
    ) async throws -> AudioUnitSession {
        try await units.instantiate(try await units.components(of: identifier)[0], view: view)
    }

    /// Writes a WAV file of a function of channel and frame.
    func write(
        _ name: String, _ format: WAVFormat, frames: Int, _ sample: (_ channel: Int, _ frame: Int) -> Float
    ) throws -> String {
        let path = "\(folder)/\(name)"
        let writer = try WAVWriter(path: path, format)
        try writer.write((0..<format.channels).map { channel in (0..<frames).map { sample(channel, $0) } })
        try writer.finish()
        return path
    }

    /// Returns a MIDI file of one track, with 96 ticks in a quarter note.
    static func midiFile(_ track: [UInt8]) -> [UInt8] {
        var bytes = Array("MThd".utf8)
        bytes += [0, 0, 0, 6, 0, 0, 0, 1, 0, 96]
        bytes += "MTrk".utf8
        bytes += [0, 0, 0, UInt8(track.count)]
        bytes += track
        return bytes
    }

    static func read(_ path: String) throws -> (format: WAVFormat, channels: [[Float]]) {
        let reader = try WAVReader(path: path)
        return (reader.format, try reader.read(reader.frames, at: 0))
    }
}

/// The status of an error of Core Audio; nil of another one.
func audioStatus(_ error: any Error) -> Int? {
    let error = error as NSError
    return error.domain == NSOSStatusErrorDomain ? error.code : nil
}
