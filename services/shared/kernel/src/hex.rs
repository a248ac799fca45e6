//! Bytes as hexadecimal digits: hashes, fingerprints and signatures in texts.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};

/// The bytes in digits of lower case.
#[must_use]
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    HEXLOWER.encode(bytes.as_ref())
}

/// Reads digits of either case, two for each byte.
#[must_use]
pub fn decode(digits: &str) -> Option<Vec<u8>> {
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn bytes_are_written_in_lower_case_and_read_in_either() {
        assert_eq!(encode([0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
        assert_eq!(decode("000FA5ff").unwrap(), [0x00, 0x0f, 0xa5, 0xff]);
        for wrong in ["0", "0g", "+1", " 0f", "0x0f"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
