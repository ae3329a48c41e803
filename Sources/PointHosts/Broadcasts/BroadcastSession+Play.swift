// BroadcastSession+Play: the frames and the sound of files, each at its time.

import PointMessages

/// The files of a broadcast.
public struct BroadcastFiles {
    /// The frames of the screen.
    public var video: Y4MReader?
    /// The sound of the application.
    public var sound: WAVReader?
    /// The sound of the microphone.
    public var microphone: WAVReader?
    /// The orientation that each frame has as an attachment: 1 to 8, a number of `CGImagePropertyOrientation`.
    public var orientation = 1

    /// Each value is described at its property.
    public init(video: Y4MReader? = nil, sound: WAVReader? = nil, microphone: WAVReader? = nil) {
        (self.video, self.sound, self.microphone) = (video, sound, microphone)
    }
}

extension BroadcastSession {
    /// The frames of sound in one sample.
    static let soundFrames = 1024

    /// A sample that comes next.
    private enum Next {
        case video(Int)
        case sound(BroadcastSample.Kind, WAVReader, Int)
    }

    /// Plays the files of a broadcast from their beginning, until all have ended or the broadcast has.
    ///
    /// - Parameters:
    ///   - files: the files. One task at a time uses them.
    ///   - pace: the pace.
    ///   - offset: the time of the first sample after the start of the broadcast.
    ///   - before: called before each frame with its number, from 0. It may pause, resume or annotate the broadcast.
    /// - Throws: `VideoFileFault`, `AudioFileFault`; the errors of `settle()` with the pace `waiting`;
    ///   `CancellationError` after a cancellation of the task.
    public func play(
        _ files: sending BroadcastFiles, pace: Pace = .real, offset: Duration = .zero,
        before: (_ frame: Int) async throws -> Void = { _ in }
    ) async throws {
        let clock = ContinuousClock()
        let begin = clock.now
        try files.video?.rewind()
        var (frame, hasFrames) = (0, files.video != nil)
        var places = [BroadcastSample.Kind.audioApp: 0, .audioMic: 0]
        while !hasEnded {
            try Task.checkCancellation()
            var next: (time: Int64, sample: Next)?
            if hasFrames, let video = files.video { next = (video.time(ofFrame: frame), .video(frame)) }
            for (kind, reader) in [(BroadcastSample.Kind.audioApp, files.sound), (.audioMic, files.microphone)] {
                guard let reader, let place = places[kind], place < reader.frames else { continue }
                let time = Int64(Double(place) * 1_000_000_000 / Double(reader.format.rate))
                if next.map({ time < $0.time }) ?? true { next = (time, .sound(kind, reader, place)) }
            }
            guard let next else { return }
            let due = Duration.nanoseconds(next.time)
            if pace == .real {
                // The frames of a file may be minutes apart, and the broadcast may end between them.
                while !hasEnded, clock.now < begin + due {
                    try await clock.sleep(until: min(begin + due, clock.now + .milliseconds(100)))
                }
                if hasEnded { return }
            }
            switch next.sample {
            case .video(let number):
                try await before(number)
                guard let video = files.video, let planes = try video.next() else {
                    hasFrames = false
                    continue
                }
                if pace == .waiting { try await makeRoom(for: .video) }
                try offer(
                    video: planes,
                    .video(
                        width: video.width, height: video.height, isFullRange: video.isFullRange,
                        orientation: files.orientation),
                    at: offset + due, duration: .nanoseconds(video.frameDuration))
                frame += 1
            case .sound(let kind, let reader, let place):
                let count = min(Self.soundFrames, reader.frames - place)
                let channels = try reader.read(count, at: place)
                if pace == .waiting { try await makeRoom(for: kind) }
                try offer(sound: channels, kind, rate: reader.format.rate, at: offset + due)
                places[kind] = place + count
            }
        }
    }
}
