extension Configuration {
    /// What the store's operator wants to know of it.
    struct Doctor: Equatable {
        /// The folder of the store.
        var data: String
        /// A certificate and its key that are not the server's own.
        var certificate: String?
        var key: String?
        /// Whether the answer is JSON.
        var isJSON = false
        /// Whether what can be mended is mended.
        var repairs = false
    }

    static func backup(_ words: ArraySlice<String>) throws(ConfigurationError) -> Self {
        var options = try Options(words, names: ["--data"])
        guard let file = try options.onlyWord() else { throw .missing("FILE") }
        return .backup(file: file, data: try options.required("--data"))
    }

    static func restore(_ words: ArraySlice<String>) throws(ConfigurationError) -> Self {
        var options = try Options(words, names: ["--data"], flags: ["--empty"])
        let file = try options.onlyWord()
        let isEmpty = options.flags.contains("--empty")
        if file != nil, isEmpty { throw .notTogether("FILE", "--empty") }
        guard file != nil || isEmpty else { throw .missing("FILE") }
        return .restore(file: file, data: try options.required("--data"))
    }

    static func doctor(_ words: ArraySlice<String>) throws(ConfigurationError) -> Self {
        var options = try Options(
            words,
            names: ["--data", "--certificate", "--key"],
            flags: ["--json", "--repair"]
        )
        if let word = options.words.first { throw .unknownWord(word) }
        let (certificate, key) = (options.take("--certificate"), options.take("--key"))
        if certificate != nil, key == nil { throw .missing("--key") }
        if key != nil, certificate == nil { throw .missing("--certificate") }
        return .doctor(
            Doctor(
                data: try options.required("--data"),
                certificate: certificate,
                key: key,
                isJSON: options.flags.contains("--json"),
                repairs: options.flags.contains("--repair")
            )
        )
    }
}

extension Configuration.Options {
    /// The word that is no option, nil where there is none.
    func onlyWord() throws(ConfigurationError) -> String? {
        guard words.count <= 1 else { throw .unknownWord(words[1]) }
        guard words.first != "" else { throw .missing("FILE") }
        return words.first
    }
}
