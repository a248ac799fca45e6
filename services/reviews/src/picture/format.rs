//! Detects a file's format by its content; names and declared types are not trusted.

use infer::image::{is_jpeg, is_png, is_webp};

/// Bytes at a file's beginning that identify its format.
pub const HEAD_BYTES: usize = 16;

/// The supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JPEG.
    Jpeg,
    /// PNG, still.
    Png,
    /// WebP, still.
    WebP,
}

impl Format {
    /// The format of a file with this beginning.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        match head {
            head if is_jpeg(head) => Some(Self::Jpeg),
            head if is_png(head) => Some(Self::Png),
            // `is_webp` checks the last four letters only.
            head if head.starts_with(b"RIFF") && is_webp(head) => Some(Self::WebP),
            _ => None,
        }
    }
}

/// Whether a file with this beginning is a picture of a kind that is not read, such as HEIC, AVIF,
/// GIF, TIFF, BMP or JPEG XL.
#[must_use]
pub fn is_another(head: &[u8]) -> bool {
    const BEGINNINGS: &[&[u8]] =
        &[b"GIF8", b"BM", b"II*\0", b"MM\0*", b"\xff\x0a", b"\0\0\0\x0cJXL ", b"<svg"];
    const BRANDS: &[&[u8]] =
        &[b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1", b"avif", b"avis"];
    let of_brand = head.get(4..8) == Some(b"ftyp")
        && head.get(8..12).is_some_and(|brand| BRANDS.contains(&brand));
    of_brand || BEGINNINGS.iter().any(|beginning| head.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::{Format, is_another};

    #[test]
    fn other_pictures_are_told_from_what_is_none() {
        let others: [&[u8]; 7] = [
            b"GIF89a",
            b"BM",
            b"II*\0",
            b"MM\0*",
            b"\0\0\0\x18ftypheic\0\0\0\0",
            b"\0\0\0\x1cftypavif\0\0\0\0",
            b"<svg xmlns",
        ];
        for other in others {
            assert!(is_another(other), "{other:?}");
        }
        for none in [&b""[..], b"\0\0\0\x18ftypisom", b"%PDF", b"\xff\xd8\xff", b"hello"] {
            assert!(!is_another(none), "{none:?}");
        }
    }

    #[test]
    fn the_format_is_detected_by_its_magic_bytes() {
        assert_eq!(Format::detect(b"\xff\xd8\xff\xe0\0\x10JFIF\0"), Some(Format::Jpeg));
        assert_eq!(Format::detect(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some(Format::Png));
        assert_eq!(Format::detect(b"RIFF\x10\0\0\0WEBPVP8 "), Some(Format::WebP));
        for other in
            [&b""[..], b"\xff\xd8", b"GIF89a", b"BM", b"II*\0", b"<svg", b"RIFF\0\0\0\0WAVE"]
        {
            assert_eq!(Format::detect(other), None);
        }
        assert_eq!(Format::detect(b"ABCD\x10\0\0\0WEBPVP8 "), None);
    }
}
