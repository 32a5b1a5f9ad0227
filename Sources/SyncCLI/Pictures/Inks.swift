/// The colours of a page, chosen to stay distinct in greyscale.
extension Page.Ink {
    static let text = Page.Ink(0x22_22_22)
    static let quiet = Page.Ink(0x70_70_70)
    static let grid = Page.Ink(0xDD_DD_DD)
    static let paper = Page.Ink(0xFF_FF_FF)
    static let land = Page.Ink(0xF7_F6_F2)
    static let way = Page.Ink(0x1A_4F_8B)
    static let start = Page.Ink(0x2E_8B_57)
    static let alarm = Page.Ink(0xE0_82_14)
    static let finish = Page.Ink(0xC0_39_2B)
}

extension Quantity {
    var ink: Page.Ink {
        switch self {
        case .elevation: Page.Ink(0x8A_66_2F)
        case .speed, .pace: Page.Ink(0x1A_4F_8B)
        case .heartRate: Page.Ink(0xC0_39_2B)
        case .heel: Page.Ink(0x2E_7D_5B)
        }
    }
}

/// Font sizes in points.
extension Page.Font {
    static let title = Page.Font(size: 17, isBold: true)
    static let line = Page.Font(size: 9.5)
    static let label = Page.Font(size: 8)
    static let heading = Page.Font(size: 9, isBold: true)
}
