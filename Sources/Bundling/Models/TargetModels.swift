// TargetModels: the Swift file that a target's Core ML models become, with the classes that Xcode generates.

/// The classes of a target's models: the input, the output, and the model, whose predictions throw.
struct TargetModels {
    /// The endings of the names of a model, in small letters. Those in a package, a folder, are not read.
    static let (ending, packageEnding) = (".mlmodel", ".mlpackage")
    static let fileName = "GeneratedModels.swift"
    static let module = "CoreML"
    /// The types that generated code uses: no class and no feature has their names.
    static let used: Set<String> = [
        "MLModel", "MLModelConfiguration", "MLPredictionOptions", "MLFeatureProvider", "MLFeatureValue", "MLMultiArray",
        "CVPixelBuffer", "Double", "Int64", "Set", "String", "URL",
    ]

    private(set) var findings: [ProjectFinding] = []
    /// The text of the file; nil if there is nothing to generate.
    private(set) var text: String?

    /// Reads the models among a target's sources, if it has any.
    init(_ target: XcodeTarget) {
        self.init(target.models, sources: target.swiftSources.map(\.path))
    }

    /// - Parameters:
    ///   - models: the paths of the models.
    ///   - sources: the paths of the target's Swift sources, whose types are not generated.
    init(_ models: [String], sources: [String]) {
        guard !models.isEmpty else { return }
        let own = Set(TargetIntents.declared(in: sources).keys)
        var taken = own.union(Self.used)
        var classes: [String] = []
        for path in models {
            let file = path.split(separator: "/").last.map(String.init) ?? path
            let name = BuildSettings.spelled(String(file[..<(file.lastIndex(of: ".") ?? file.endIndex)]), with: "_")
            guard !own.contains(name) else { continue }
            let names = [name, name + "Input", name + "Output"]
            func leaveOut(_ why: String) {
                findings.append(
                    ProjectFinding(
                        .modelUnreadable, path, "no class is generated from the model\(why)",
                        remedy: "Open it in Xcode, or write a class \(name) for Linux"))
            }
            guard !path.lowercased().hasSuffix(Self.packageEnding) else {
                leaveOut(": packages of models are not read")
                continue
            }
            if let other = names.first(where: taken.contains) {
                leaveOut(": another type or model has the class name \(other)")
                continue
            }
            guard let description = ModelDescription(path), IntentNames.isTypeName(name),
                !(description.inputs + description.outputs).contains(where: { names.contains($0.identifier) })
            else {
                leaveOut("")
                continue
            }
            taken.formUnion(names)
            findings.append(
                ProjectFinding(
                    .modelNotRun, path, "each prediction of \(name) throws an error: no model of Core ML runs here",
                    remedy: "Catch the error, or write the class for Linux"))
            classes.append(Self.classes(name, description))
        }
        guard !classes.isEmpty else { return }
        text =
            """
            // GeneratedModels: the classes of the target's Core ML models. Made by exthostctl bundle, and replaced \
            each time.

            import CoreML
            import Foundation


            """ + classes.joined(separator: "\n")
    }

    /// The modules that the file imports.
    var imports: Set<String> { text == nil ? [] : [Self.module] }

    private static func classes(_ name: String, _ description: ModelDescription) -> String {
        let inputs = description.inputs
        func lines(_ features: [ModelDescription.Feature], _ line: (ModelDescription.Feature) -> String) -> String {
            features.map { "\n" + line($0) }.joined()
        }
        func list(
            _ features: [ModelDescription.Feature], _ depth: Int, _ entry: (ModelDescription.Feature) -> String
        ) -> String {
            features.map { "\n" + String(repeating: " ", count: depth) + entry($0) }.joined(separator: ",")
        }
        func facts(_ features: [ModelDescription.Feature]) -> String {
            let lines = list(features, 20) { "(\"\($0.name)\", .\($0.swift.kind), \($0.isOptional))" }
            return lines.isEmpty ? "" : lines + ",\n                "
        }
        let arguments = list(inputs, 8) { "\(IntentNames.written($0.identifier)): \($0.inputType)" }
        // Of the keywords, only this one needs marks before an argument.
        let values = list(inputs, 16) {
            "\($0.identifier == "inout" ? "`inout`" : $0.identifier): \(IntentNames.written($0.identifier))"
        }
        return """
            nonisolated class \(name)Input: MLFeatureProvider {\
            \(lines(inputs) { "    var \(IntentNames.written($0.identifier)): \($0.inputType)" })

                init(\(arguments)
                ) {\
            \(lines(inputs) { "        self.\($0.identifier) = \(IntentNames.written($0.identifier))" })
                }

                var featureNames: Set<String> { [\(inputs.map { "\"\($0.name)\"" }.joined(separator: ", "))] }

                func featureValue(for featureName: String) -> MLFeatureValue? {
                    switch featureName {\
            \(lines(inputs) { "        case \"\($0.name)\": return \($0.inputValue)" })
                    default: return nil
                    }
                }
            }

            nonisolated class \(name)Output: MLFeatureProvider {
                private let _features: any MLFeatureProvider\
            \(lines(description.outputs) { $0.outputProperty })

                init(features: any MLFeatureProvider) { _features = features }

                var featureNames: Set<String> { _features.featureNames }

                func featureValue(for featureName: String) -> MLFeatureValue? {
                    _features.featureValue(for: featureName)
                }
            }

            nonisolated class \(name) {
                let model: MLModel

                init(model: MLModel) { self.model = model }

                convenience init() { self.init(configuration: MLModelConfiguration()) }

                convenience init(configuration: MLModelConfiguration) {
                    self.init(
                        model: MLModel(
                            _inputs: [\(facts(inputs))],
                            outputs: [\(facts(description.outputs))],
                            configuration: configuration))
                }

                convenience init(
                    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()
                ) throws {
                    self.init(model: try MLModel(contentsOf: url, configuration: configuration))
                }

                func prediction(
                    input: \(name)Input, options: MLPredictionOptions = MLPredictionOptions()
                ) throws -> \(name)Output {
                    \(name)Output(features: try model.prediction(from: input, options: options))
                }

                func prediction(\(arguments)
                ) throws -> \(name)Output {
                    try self.prediction(
                        input: \(name)Input(\(values)))
                }

                func predictions(
                    inputs: [\(name)Input], options: MLPredictionOptions = MLPredictionOptions()
                ) throws -> [\(name)Output] {
                    try inputs.map { try self.prediction(input: $0, options: options) }
                }
            }

            """
    }
}

extension ModelDescription.Feature {
    /// The type in Swift, the case of `MLFeatureType`, and the label and the property of `MLFeatureValue`.
    fileprivate var swift: (type: String, kind: String, label: String, property: String) {
        switch kind {
        case .int64: ("Int64", "int64", "int64", "int64Value")
        case .double: ("Double", "double", "double", "doubleValue")
        case .string: ("String", "string", "string", "stringValue")
        case .image: ("CVPixelBuffer", "image", "pixelBuffer", "imageBufferValue!")
        case .multiArray: ("MLMultiArray", "multiArray", "multiArray", "multiArrayValue!")
        case .texts: ("[String: Double]", "dictionary", "_weights", "_weights()")
        case .integers: ("[Int64: Double]", "dictionary", "_weights", "_weights()")
        }
    }

    fileprivate var inputType: String { swift.type + (isOptional ? "? = nil" : "") }

    fileprivate var inputValue: String {
        let name = "self." + identifier
        return isOptional
            ? "\(name).map { MLFeatureValue(\(swift.label): $0) }" : "MLFeatureValue(\(swift.label): \(name))"
    }

    fileprivate var outputProperty: String {
        "    var \(IntentNames.written(identifier)): \(swift.type) {\n"
            + "        _features.featureValue(for: \"\(name)\")!.\(swift.property)\n    }"
    }
}
