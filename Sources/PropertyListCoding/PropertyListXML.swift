extension PropertyList { public init(file bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) { throw .empty } }
