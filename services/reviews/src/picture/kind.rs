//! What a file is. Only its content tells: names and declared types are whatever the sender likes.

use infer::image::{is_jpeg, is_png, is_webp};

/// How many bytes at a file's beginning tell its kind.
pub const HEAD_BYTES: usize = 16;

/// The kinds of pictures that are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// JPEG.
    Jpeg,
    /// PNG, still.
    Png,
    /// WebP, still.
    WebP,
}

impl Kind {
    /// The kind of the file that begins so.
    #[must_use]
    pub fn of(head: &[u8]) -> Option<Self> {
        match head {
            head if is_jpeg(head) => Some(Self::Jpeg),
            head if is_png(head) => Some(Self::Png),
            // The check itself looks at the last four letters only.
            head if head.starts_with(b"RIFF") && is_webp(head) => Some(Self::WebP),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn only_the_first_bytes_tell() {
        assert_eq!(Kind::of(b"\xff\xd8\xff\xe0\0\x10JFIF\0"), Some(Kind::Jpeg));
        assert_eq!(Kind::of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some(Kind::Png));
        assert_eq!(Kind::of(b"RIFF\x10\0\0\0WEBPVP8 "), Some(Kind::WebP));
        for other in
            [&b""[..], b"\xff\xd8", b"GIF89a", b"BM", b"II*\0", b"<svg", b"RIFF\0\0\0\0WAVE"]
        {
            assert_eq!(Kind::of(other), None);
        }
        assert_eq!(Kind::of(b"ABCD\x10\0\0\0WEBPVP8 "), None);
    }
}
