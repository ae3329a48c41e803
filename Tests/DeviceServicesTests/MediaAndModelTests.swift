// MediaAndModelTests: the answers of a device without music, models, scenes and encoders.

import AVFoundation
import ClassKit
import CoreML
import CryptoTokenKit
import Foundation
import GameplayKit
import MediaPlayer
import SceneKit
import SpriteKit
import Testing
import VideoToolbox

@Suite struct MediaAndModelTests {
    private final class Song: MPMediaItem, @unchecked Sendable {
        override func value(forProperty property: String) -> Any? {
            switch property {
            case MPMediaItemPropertyTitle: "Lullaby"
            case MPMediaItemPropertyPlaybackDuration: 61.5
            case MPMediaItemPropertyPersistentID: UInt64.max
            default: nil
            }
        }
    }

    // not simulated: N-312
    @Test("the library is denied, the player has no item, and items have the values of their class")
    func music() async {
        let status: MPMediaLibraryAuthorizationStatus = await withCheckedContinuation { done in
            MPMediaLibrary.requestAuthorization { done.resume(returning: $0) }
        }
        #expect(status == .denied && MPMediaLibrary.authorizationStatus() == .denied)
        let player = MPMusicPlayerController.systemMusicPlayer
        player.nowPlayingItem = Song()
        player.currentPlaybackTime = 10
        player.play()
        #expect(player.nowPlayingItem == nil && player.playbackState == .stopped && player.currentPlaybackTime == 0)
        let song = Song()
        #expect(song.title == "Lullaby" && song.artist == nil && song.playbackDuration == 61.5)
        #expect(song.persistentID == UInt64.max && MPMediaItem().title == nil && song.mediaType == [])
        let artwork = MPMediaItemArtwork(boundsSize: CGSize(width: 3, height: 4)) { _ in UIImage() }
        #expect(artwork.bounds.size.height == 4 && artwork.image(at: artwork.bounds.size) != nil)
    }

    // not simulated: N-310
    @Test("the class of a model has its inputs, and each prediction throws")
    func models() throws {
        let model = Spam_1()
        #expect(Set(model.model.modelDescription.inputDescriptionsByName.keys).contains("word-counts"))
        #expect(model.model.modelDescription.outputDescriptionsByName["ranks"]?.type == .dictionary)
        var buffer: CVPixelBuffer?
        _ = CVPixelBufferCreate(nil, 1, 1, kCVPixelFormatType_32BGRA, nil, &buffer)
        let image = try #require(buffer)
        let error = #expect(throws: MLModelError.self) {
            try model.prediction(text: "Win!", word_counts: ["win": 1], image: image)
        }
        #expect(error?.localizedDescription.hasPrefix("notSimulated") == true && error?.code == .generic)
        let input = Spam_1Input(text: "Win!", word_counts: ["win": 2], image: image)
        #expect(input.featureValue(for: "text")?.stringValue == "Win!")
        #expect(input.featureValue(for: "word-counts")?.dictionaryValue == ["win": 2])
        #expect(input.featureValue(for: "default") == nil && input.featureNames.count == 4)
        let output = Spam_1Output(
            features: try MLDictionaryFeatureProvider(dictionary: [
                "label": "spam", "classProbability": ["spam": 0.75], "place": 3,
                "ranks": MLFeatureValue(dictionary: [Int64(7): 1]), "vector": MLMultiArray([1, 2]),
            ]))
        #expect(output.label == "spam" && output.classProbability == ["spam": 0.75] && output.place == 3)
        #expect(output.ranks == [7: 1] && output.vector[1] == 2)
        for ranks in [[7: 0.5] as [Int: Double], [Int64(7): NSNumber(value: 0.5)] as [Int64: NSNumber]] as [Any] {
            let features = try MLDictionaryFeatureProvider(dictionary: ["ranks": ranks])
            #expect(Spam_1Output(features: features).ranks == [7: 0.5])
        }
        #expect(try MLFeatureValue(dictionary: [Int(7): 1])._weights() == [Int64(7): 1])
        #expect(throws: MLModelError.self) { try Spam_1(contentsOf: URL(fileURLWithPath: "/a.mlmodelc")) }
        #expect(throws: MLModelError.self) { try MLDictionaryFeatureProvider(dictionary: ["a": URL.self]) }
        #expect(throws: MLModelError.self) { try MLFeatureValue(dictionary: ["a": 1, Int64(1): 2]) }
    }

    @Test("an array has its numbers by place and by dimension")
    func arrays() throws {
        for type in [MLMultiArrayDataType.double, .float32, .int32] {
            let array = try MLMultiArray(shape: [2, 3], dataType: type)
            #expect(array.count == 6 && array.strides == [3, 1] && array[5] == 0)
            array[[1, 1]] = 7
            #expect(array[4] == 7 && array[[1, 1]] == 7)
        }
        #expect(MLMultiArray().count == 0)
        #expect(try MLMultiArray(shape: [2, 0], dataType: .int32).count == 0)
        for shape in [[], [-1], [1 << 20, 1 << 20], [Int.max, 2], [0, Int.max, 2]] as [[Int]] {
            #expect(throws: MLModelError.self) {
                try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: .double)
            }
        }
    }

    // not simulated: N-313
    @Test("scenes keep their nodes, run no action, and are read from no file")
    @MainActor func sprites() {
        final class Scene: SKScene {
            var events: [String] = []
            override func didMove(to view: SKView) { events.append("shown") }
            override func willMove(from view: SKView) { events.append("gone") }
        }
        let (scene, view, label) = (Scene(size: CGSize(width: 10, height: 10)), SKView(), SKLabelNode(text: "Hello"))
        (label.name, label.position) = ("hello", CGPoint(x: 1, y: 2))
        let shape = SKShapeNode(rectOf: CGSize(width: 4, height: 4), cornerRadius: 1)
        shape.addChild(label)
        shape.run(.sequence([.wait(forDuration: 1), .fadeOut(withDuration: 2), .removeFromParent()]), withKey: "out")
        scene.addChild(shape)
        #expect(scene.childNode(withName: "hello") == nil && scene.childNode(withName: "//hello") === label)
        #expect(label.scene === scene && shape.action(forKey: "out")?.duration == 3 && shape.parent === scene)
        let copy = shape.copy() as? SKShapeNode
        #expect(copy?.hasActions() == true && copy?.parent == nil && copy?.path != nil)
        #expect((copy?.childNode(withName: "hello") as? SKLabelNode)?.position == label.position)
        (scene.anchorPoint.x, scene.userData) = (0.5, ["level": 1])
        let second = scene.copy() as? SKScene
        #expect(second?.size.width == 10 && second?.anchorPoint.x == 0.5 && second?.userData?["level"] as? Int == 1)
        view.presentScene(scene)
        #expect(scene.view === view)
        var isCalled = false
        scene.run(.run { isCalled = true }) { isCalled = true }
        #expect(!isCalled && scene.hasActions())
        view.presentScene(nil)
        #expect(scene.events == ["shown", "gone"] && scene.view == nil)
        shape.removeFromParent()
        #expect(scene.children.isEmpty && SKScene(fileNamed: "Game") == nil && SKAction(named: "Pulse") == nil)
    }

    @Test("bodies keep their values, and a transaction completes on the main queue")
    @MainActor func bodies() async {
        let (scene, view, node) = (SCNScene(), SCNView(), SCNNode(geometry: SCNGeometry()))
        node.name = "ship"
        node.geometry?.firstMaterial = SCNMaterial()
        node.geometry?.firstMaterial?.emission.contents = UIColor.red
        scene.rootNode.addChildNode(SCNNode())
        scene.rootNode.childNodes[0].addChildNode(node)
        node.runAction(.repeatForever(.rotateBy(x: 0, y: 2, z: 0, duration: 1)))
        view.scene = scene
        #expect(scene.rootNode.childNode(withName: "ship", recursively: false) == nil)
        #expect(scene.rootNode.childNode(withName: "ship", recursively: true) === node && node.hasActions)
        #expect(view.hitTest(.zero, options: [:]).isEmpty && SCNScene(named: "ship.scn") == nil)
        SCNTransaction.begin()
        SCNTransaction.animationDuration = 2
        await withCheckedContinuation { done in
            SCNTransaction.completionBlock = { done.resume() }
            SCNTransaction.commit()
        }
        #expect(SCNTransaction.animationDuration == 0.25)
        #expect((0..<3).contains(GKRandomSource.sharedRandom().nextInt(upperBound: 3)))
    }

    // not simulated: N-314
    @Test("parts of lessons are kept and not saved, and tokens keep their items")
    func points() async throws {
        let store = CLSDataStore.shared
        let (book, page) = (
            CLSContext(type: .book, identifier: "book", title: "B"),
            CLSContext(type: .page, identifier: "1", title: "P")
        )
        store.mainAppContext.addChildContext(book)
        store.mainAppContext.addChildContext(CLSContext(type: .quiz, identifier: "book", title: "Other"))
        book.addChildContext(page)
        var found: [CLSContext?] = []
        store.mainAppContext.descendant(matchingIdentifierPath: ["book", "1"]) { part, _ in found.append(part) }
        store.mainAppContext.descendant(matchingIdentifierPath: ["1"]) { part, _ in found.append(part) }
        #expect(found[0] === page && found[1] == nil && page.parent === book)
        book.removeFromParent()
        #expect(book.parent == nil)
        let words: String = await withCheckedContinuation { done in
            store.save { done.resume(returning: $0?.localizedDescription ?? "saved") }
        }
        #expect(words.hasPrefix("notSimulated"))
        let token = TKToken(tokenDriver: TKTokenDriver(), instanceID: "one")
        token.keychainContents?.fill(with: [TKTokenKeychainItem(objectID: 1)])
        #expect(token.keychainContents?.items.count == 1)
    }

    // not simulated: N-182
    @Test("nothing encodes films")
    func films() async throws {
        let writer = try AVAssetWriter(url: URL(fileURLWithPath: "/tmp/exthost-none.mp4"), fileType: .mp4)
        let input = AVAssetWriterInput(
            mediaType: .video, outputSettings: [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 4])
        #expect(writer.canAdd(input))
        writer.add(input)
        #expect(!writer.startWriting() && writer.status == .failed && !input.isReadyForMoreMediaData)
        #expect(writer.error?.localizedDescription.hasPrefix("notSimulated") == true)
        writer.startSession(atSourceTime: .zero)
        await withCheckedContinuation { done in writer.finishWriting { done.resume() } }
        #expect(throws: CocoaError.self) {
            try AVAssetWriter(outputURL: #require(URL(string: "https://a.b")), fileType: .mov)
        }
        var session: VTCompressionSession?
        let status = VTCompressionSessionCreate(
            allocator: nil, width: 4, height: 4, codecType: 0, encoderSpecification: nil, imageBufferAttributes: nil,
            compressedDataAllocator: nil, outputCallback: nil, refcon: nil, compressionSessionOut: &session)
        #expect(status == kVTCouldNotFindVideoEncoderErr && session == nil)
    }
}
