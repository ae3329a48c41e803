// MLModel: a model of Core ML, which does not run here.

public import Foundation

public let MLModelErrorDomain = "com.apple.CoreML"

/// The reason why a model has no answer.
public struct MLModelError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case generic = 0, featureType = 1, io = 3, customLayer, customModel, update, parameters

        public static func ~= (code: Code, error: any Error) -> Bool { (error as? MLModelError)?.code == code }
    }

    public let code: Code
    private let words: String

    init(_ code: Code, _ words: String) { (self.code, self.words) = (code, words) }

    public static var errorDomain: String { MLModelErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: words] }
    public static var generic: Code { .generic }
    public static var featureType: Code { .featureType }
    public static var io: Code { .io }

    static var notSimulated: MLModelError {
        MLModelError(.generic, "notSimulated: models of Core ML do not run here")
    }
}

/// The processors that may run a model. It has no effect.
public enum MLComputeUnits: Int, Sendable { case cpuOnly, cpuAndGPU, all, cpuAndNeuralEngine }

/// The wishes for a model. They are kept only.
open class MLModelConfiguration: NSObject {
    open var computeUnits = MLComputeUnits.all
    open var allowLowPrecisionAccumulationOnGPU = false
    public override init() {}
}

/// The wishes for a prediction. They are kept only.
open class MLPredictionOptions: NSObject {
    open var usesCPUOnly = false
    public override init() {}
}

/// An input or an output that a model declares.
open class MLFeatureDescription: NSObject, @unchecked Sendable {  // constant
    public let name: String
    public let type: MLFeatureType
    public let isOptional: Bool

    init(_ name: String, _ type: MLFeatureType, isOptional: Bool) {
        (self.name, self.type, self.isOptional) = (name, type, isOptional)
    }
}

/// The inputs and outputs of a model.
open class MLModelDescription: NSObject, @unchecked Sendable {  // constant
    public let inputDescriptionsByName: [String: MLFeatureDescription]
    public let outputDescriptionsByName: [String: MLFeatureDescription]

    init(_ inputs: [MLFeatureDescription], _ outputs: [MLFeatureDescription]) {
        inputDescriptionsByName = Dictionary(inputs.map { ($0.name, $0) }) { $1 }
        outputDescriptionsByName = Dictionary(outputs.map { ($0.name, $0) }) { $1 }
    }
}

/// A model. Nothing runs it: each prediction throws an error whose words begin with `notSimulated`.
///
/// The class that `exthostctl bundle` makes of an `.mlmodel` file has such a model with the file's description.
open class MLModel: NSObject, @unchecked Sendable {  // its properties are constant
    public let modelDescription: MLModelDescription
    public let configuration: MLModelConfiguration

    /// Makes the model of a generated class.
    ///
    /// - Parameters:
    ///   - inputs: the names and types of the inputs, and whether each may be missing.
    ///   - outputs: those of the outputs.
    ///   - configuration: kept only.
    public init(
        _inputs inputs: [(String, MLFeatureType, Bool)], outputs: [(String, MLFeatureType, Bool)],
        configuration: MLModelConfiguration = MLModelConfiguration()
    ) {
        modelDescription = MLModelDescription(
            inputs.map { MLFeatureDescription($0.0, $0.1, isOptional: $0.2) },
            outputs.map { MLFeatureDescription($0.0, $0.1, isOptional: $0.2) })
        self.configuration = configuration
    }

    /// Fails: compiled models are not read.
    ///
    /// - Throws: `MLModelError.generic`.
    public init(contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()) throws {
        throw MLModelError.notSimulated
    }

    /// Fails: models are not compiled.
    ///
    /// - Throws: `MLModelError.generic`.
    open class func compileModel(at modelURL: URL) throws -> URL { throw MLModelError.notSimulated }

    /// Fails: models do not run.
    ///
    /// - Parameters:
    ///   - input: the inputs.
    ///   - options: no effect.
    /// - Throws: `MLModelError.generic`.
    open func prediction(
        from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
    ) throws -> any MLFeatureProvider { throw MLModelError.notSimulated }
}
