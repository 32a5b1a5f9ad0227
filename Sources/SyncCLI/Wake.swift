@main
enum Wake {
    static func main() async {}
}
