/// Certificates and keys that OpenSSL's program made once for these tests; good until 2119 where
/// nothing else is said.
enum TestCertificates {
    /// An authority that no system knows.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBgjCCASigAwIBAgIUD2LPqB+gu4ViIAboaL7TlVGQBR0wCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTV2FrZSB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTE5MTIwODAwMDAwMFowHjEcMBoGA1UEAwwTV2FrZSB0ZXN0IGF1dGhvcml0
        eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFtpPe7bCiwiRnqezPz1jdsWcV9C
        C56Pec7e6+49aZ2lt4p+dBTKRULXsh/9jdrmp4Z5emY712nuohY38gYepl+jQjBA
        MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMB0GA1UdDgQWBBRD/+tq
        IY4sbfNCYuoQ0NbB4CipYDAKBggqhkjOPQQDAgNIADBFAiAd28ocRjDx7QBrexRY
        sb5qBY/kr3SJbyaJ4fQHDzdPlQIhAJ0UAQNrgg08cBUkwXHrhJ5ZVGz0ifFpX9YB
        a2bH1fiQ
        -----END CERTIFICATE-----

        """

    /// For localhost and 127.0.0.1, by that authority.
    static let leaf = """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUCgAwIBAgIUOu17m/uBxbXhVTSH/6tAjCrPwdIwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTV2FrZSB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTE5MTIwODAwMDAwMFowDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEG
        CCqGSM49AwEHA0IABMuqzYcdhN5+yzR99HK8P++W6vY5aCP9XGbbGHfNm57O3RaW
        jrpsX039JioXaIzqhpDq+YE8pyr1bHTnhzd/cbujaTBnMAkGA1UdEwQCMAAwGgYD
        VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMB8GA1UdIwQYMBaAFEP/62ohjixt80Ji
        6hDQ1sHgKKlgMB0GA1UdDgQWBBRYjGDHFI4/fyuut1G6CzP5pLFWZzAKBggqhkjO
        PQQDAgNJADBGAiEAjDBG3i6y7oeFko1/7IQykXUP/pPDk+4CDz2qgO4fULMCIQCF
        U5Fk6QZRkbRggyRlgAd15my4+3yrSmPdSkp4ZI5Lxg==
        -----END CERTIFICATE-----

        """

    /// The key of ``leaf``.
    static let leafKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNAf5qQ2S2xjUxDHz
        jimv8t+5AP+TOY2RivGrkv0smLyhRANCAATLqs2HHYTefss0ffRyvD/vlur2OWgj
        /Vxm2xh3zZuezt0Wlo66bF9N/SYqF2iM6oaQ6vmBPKcq9Wx054c3f3G7
        -----END PRIVATE KEY-----

        """

    /// For wake.example, by that authority.
    static let other = """
        -----BEGIN CERTIFICATE-----
        MIIBmDCCAT6gAwIBAgIUOu17m/uBxbXhVTSH/6tAjCrPwdMwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTV2FrZSB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTE5MTIwODAwMDAwMFowEDEOMAwGA1UEAwwFb3RoZXIwWTATBgcqhkjOPQIB
        BggqhkjOPQMBBwNCAARY5IkLfynxVPlbN8IioKhG9AwDR6HVxUQvnzFSkN7jhRKq
        IXe4UgCmzYAyhrfQ+ukyk9yzYBbXr1NAWTPmp8o/o2YwZDAJBgNVHRMEAjAAMBcG
        A1UdEQQQMA6CDHdha2UuZXhhbXBsZTAfBgNVHSMEGDAWgBRD/+tqIY4sbfNCYuoQ
        0NbB4CipYDAdBgNVHQ4EFgQU5aNOYJY0MLDTQA/Ui4PQ6f1SSLwwCgYIKoZIzj0E
        AwIDSAAwRQIgaQ22NaTzQJz+g26TMP+yen3WVFK1U4mFg/z2PKHcShoCIQCJtkKM
        0JqCWUdsgr4KBRAiQl494YW1NOi7jjioKw2xbA==
        -----END CERTIFICATE-----

        """

    /// The key of ``other``.
    static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSfkRSqa2Wwj9cnkY
        TKQrJffQq4hRS5P6a5Zv3m4mcdihRANCAARY5IkLfynxVPlbN8IioKhG9AwDR6HV
        xUQvnzFSkN7jhRKqIXe4UgCmzYAyhrfQ+ukyk9yzYBbXr1NAWTPmp8o/
        -----END PRIVATE KEY-----

        """

    /// Signed with its own key, and good for January 2020 only.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBbjCCARSgAwIBAgIUawdseJl+yGJ9uTYo5fMVBhLdPI8wCgYIKoZIzj0EAwIw
        EjEQMA4GA1UEAwwHZXhwaXJlZDAeFw0yMDAxMDEwMDAwMDBaFw0yMDAxMzEwMDAw
        MDBaMBIxEDAOBgNVBAMMB2V4cGlyZWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AAT2LbgZ7HNZOnliF1phS9FKJVW3aaaZ1U9j5DubIbUBBvF3J7EBvV+uLQNI59bT
        U094cGfiIZxbhsslpojiuq04o0gwRjAJBgNVHRMEAjAAMBoGA1UdEQQTMBGCCWxv
        Y2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQUaVqhiZpVNFIAQDYfkTIiEfPhU/MwCgYI
        KoZIzj0EAwIDSAAwRQIhAM1WTjip38BQFxZ8vh9GfIF36U6cyk0k0W/Qnc8oEO5D
        AiApYU4vhKXox/+Lr/ssrSv3sPGKFi64lIkxAK0vvvZ+oA==
        -----END CERTIFICATE-----

        """

    /// The key of ``expired``.
    static let expiredKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWU7dcTVW8UPXm8Wi
        6gSsNRnlHgc9Icf/tiD5LtCvgmihRANCAAT2LbgZ7HNZOnliF1phS9FKJVW3aaaZ
        1U9j5DubIbUBBvF3J7EBvV+uLQNI59bTU094cGfiIZxbhsslpojiuq04
        -----END PRIVATE KEY-----

        """

    /// The key of ``leaf`` under a password.
    static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAg8tIiG1ZE2DwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFNzMSYWhFm4P7/48Nq4pusEgZA6
        j2QO1MAn2XYVG8NkmcQKFPHZiNnz+xfiKGyywBvT9z9aijgS46DehVFm4/BIl7YM
        dmjLhe+g16SN2i1BFckXSkrSTc8xm4lOXUNJQahlDGhH/nsWZa2eKJQgBd46R1HS
        MaZSP9qEe71kUOd3wR+4FZC95oFlKkUl8MZ+3kcGGYNnswuEyDZx5mmqUM+/6oY=
        -----END ENCRYPTED PRIVATE KEY-----

        """
}
