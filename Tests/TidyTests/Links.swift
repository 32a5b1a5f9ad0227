import Foundation

/// The links of a Markdown file that stay inside the repository.
struct Links: Sendable {
    let path: String
    let text: String

    /// Links whose target does not exist.
    func broken(exists: (String) -> Bool) -> [Finding] {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .flatMap { index, line -> [Finding] in
                if line.hasPrefix("```") { isCode.toggle() }
                guard !isCode else { return [] }
                return line.matches(of: /\]\(([^)\s]+)\)/).map(\.output.1).compactMap { link in
                    guard let target = target(of: link), !exists(target) else { return nil }
                    return Finding(path: path, line: index + 1, remedy: "no file at \(target)")
                }
            }
    }

    /// The path from the package's root; nil for a link to elsewhere or within the page.
    private func target(of link: Substring) -> String? {
        guard !link.contains(":"), let file = link.split(separator: "#").first,
            !link.hasPrefix("#")
        else { return nil }
        var parts = path.split(separator: "/").dropLast()
        for part in file.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
