// GeneratedModels: the classes of the target's Core ML models. Made by exthostctl bundle, and replaced each time.

import CoreML
import Foundation

nonisolated class Spam_1Input: MLFeatureProvider {
    var text: String
    var word_counts: [String: Double]
    var image: CVPixelBuffer
    var `default`: Double? = nil

    init(
        text: String,
        word_counts: [String: Double],
        image: CVPixelBuffer,
        `default`: Double? = nil
    ) {
        self.text = text
        self.word_counts = word_counts
        self.image = image
        self.default = `default`
    }

    var featureNames: Set<String> { ["text", "word-counts", "image", "default"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        switch featureName {
        case "text": return MLFeatureValue(string: self.text)
        case "word-counts": return MLFeatureValue(_weights: self.word_counts)
        case "image": return MLFeatureValue(pixelBuffer: self.image)
        case "default": return self.default.map { MLFeatureValue(double: $0) }
        default: return nil
        }
    }
}

nonisolated class Spam_1Output: MLFeatureProvider {
    private let _features: any MLFeatureProvider
    var label: String {
        _features.featureValue(for: "label")!.stringValue
    }
    var classProbability: [String: Double] {
        _features.featureValue(for: "classProbability")!._weights()
    }
    var ranks: [Int64: Double] {
        _features.featureValue(for: "ranks")!._weights()
    }
    var place: Int64 {
        _features.featureValue(for: "place")!.int64Value
    }
    var vector: MLMultiArray {
        _features.featureValue(for: "vector")!.multiArrayValue!
    }

    init(features: any MLFeatureProvider) { _features = features }

    var featureNames: Set<String> { _features.featureNames }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        _features.featureValue(for: featureName)
    }
}

nonisolated class Spam_1 {
    let model: MLModel

    init(model: MLModel) { self.model = model }

    convenience init() { self.init(configuration: MLModelConfiguration()) }

    convenience init(configuration: MLModelConfiguration) {
        self.init(
            model: MLModel(
                _inputs: [
                    ("text", .string, false),
                    ("word-counts", .dictionary, false),
                    ("image", .image, false),
                    ("default", .double, true),
                ],
                outputs: [
                    ("label", .string, false),
                    ("classProbability", .dictionary, false),
                    ("ranks", .dictionary, false),
                    ("place", .int64, false),
                    ("vector", .multiArray, false),
                ],
                configuration: configuration))
    }

    convenience init(
        contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()
    ) throws {
        self.init(model: try MLModel(contentsOf: url, configuration: configuration))
    }

    func prediction(
        input: Spam_1Input, options: MLPredictionOptions = MLPredictionOptions()
    ) throws -> Spam_1Output {
        Spam_1Output(features: try model.prediction(from: input, options: options))
    }

    func prediction(
        text: String,
        word_counts: [String: Double],
        image: CVPixelBuffer,
        `default`: Double? = nil
    ) throws -> Spam_1Output {
        try self.prediction(
            input: Spam_1Input(
                text: text,
                word_counts: word_counts,
                image: image,
                default: `default`))
    }

    func predictions(
        inputs: [Spam_1Input], options: MLPredictionOptions = MLPredictionOptions()
    ) throws -> [Spam_1Output] {
        try inputs.map { try self.prediction(input: $0, options: options) }
    }
}
