// BroadcastOptions: the options of `run` for broadcasts. The sound has the option of an audio unit, `--audio`.

import ArgumentParser

/// The options for the samples of a broadcast.
struct BroadcastOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Broadcast: play this file of raw video: YUV4MPEG2 with 4:2:0 of 8 bits. Without a file, ten grey frames come.",
            valueName: "file.y4m"),
        completion: .file())
    var video: String?

    @Option(
        help: ArgumentHelp("Broadcast: play this WAV file as the sound of the microphone.", valueName: "file"),
        completion: .file())
    var microphone: String?

    @Option(
        help: ArgumentHelp(
            "Broadcast: an entry of the set-up's dictionary, a text. Repeatable. Without one, the dictionary is nil.",
            valueName: "key=value"))
    var setupInfo: [String] = []

    @Flag(help: "Broadcast: wait for the extension after each frame, so that none is lost.")
    var everyFrame = false

    /// The options in use.
    var given: [String] {
        [
            ("--video", video != nil), ("--microphone", microphone != nil), ("--setup-info", !setupInfo.isEmpty),
            ("--every-frame", everyFrame),
        ].filter(\.1).map(\.0)
    }
}
