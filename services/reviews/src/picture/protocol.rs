//! The protocol between the child and its parent: a picture in two sizes, or the reason why there
//! is none.

use bytes::Bytes;

use crate::picture::format::Format;

/// Tag of a picture.
const PICTURE: u8 = b'P';
/// Tag of a rejection's reason.
const REJECTION: u8 = b'R';
/// Maximum bytes of a response; both sizes of the noisiest picture have fewer.
pub const RESPONSE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// A re-encoded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shrunk {
    /// Width of the large one in pixels.
    pub width: u32,
    /// Height of the large one in pixels.
    pub height: u32,
    /// The large one, WebP.
    pub large: Bytes,
    /// The small one, WebP.
    pub small: Bytes,
}

/// Why a file is not accepted as a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPicture {
    /// Its format is not supported.
    #[error("it is of another kind")]
    UnsupportedFormat,
    /// It is animated.
    #[error("it moves")]
    Animated,
    /// It has too many pixels, or none.
    #[error("it has too many pixels")]
    TooManyPixels,
    /// It cannot be decoded.
    #[error("it cannot be decoded")]
    Undecodable,
}

impl InvalidPicture {
    const ALL: [Self; 4] =
        [Self::UnsupportedFormat, Self::Animated, Self::TooManyPixels, Self::Undecodable];

    const fn code(self) -> u8 {
        match self {
            Self::UnsupportedFormat => b'k',
            Self::Animated => b'm',
            Self::TooManyPixels => b'p',
            Self::Undecodable => b'b',
        }
    }
}

/// Encodes a response.
#[must_use]
pub fn encode(answer: &Result<Shrunk, InvalidPicture>) -> Vec<u8> {
    let shrunk = match answer {
        Ok(shrunk) => shrunk,
        Err(unfit) => return vec![REJECTION, unfit.code()],
    };
    let length = |bytes: &Bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let mut written = vec![PICTURE];
    for number in [shrunk.width, shrunk.height, length(&shrunk.large), length(&shrunk.small)] {
        written.extend(number.to_be_bytes());
    }
    written.extend_from_slice(&shrunk.large);
    written.extend_from_slice(&shrunk.small);
    written
}

/// Decodes a response. None when it is malformed: the child failed, or was taken over.
#[must_use]
pub fn decode(answer: &Bytes) -> Option<Result<Shrunk, InvalidPicture>> {
    let mut at = 1_usize;
    let mut next = |count: usize| {
        let end = at.checked_add(count)?;
        let range = at..end;
        answer.get(range.clone())?;
        at = end;
        Some(answer.slice(range))
    };
    match answer.first() {
        Some(&REJECTION) => {
            let code = next(1)?.first().copied()?;
            let unfit = InvalidPicture::ALL.into_iter().find(|unfit| unfit.code() == code)?;
            (answer.len() == 2).then_some(Err(unfit))
        }
        Some(&PICTURE) => {
            let mut number = || Some(u32::from_be_bytes(next(4)?.as_ref().try_into().ok()?));
            let (width, height) = (number()?, number()?);
            let (large, small) = (number()?, number()?);
            let large = next(usize::try_from(large).ok()?)?;
            let small = next(usize::try_from(small).ok()?)?;
            let both =
                [&large, &small].into_iter().all(|it| Format::detect(it) == Some(Format::WebP));
            let whole = both && at == answer.len();
            whole.then_some(Ok(Shrunk { width, height, large, small }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{InvalidPicture, Shrunk, decode, encode};

    fn picture() -> Shrunk {
        Shrunk {
            width: 1600,
            height: 3,
            large: Bytes::from_static(b"RIFF\x04\0\0\0WEBP and more"),
            small: Bytes::from_static(b"RIFF\x04\0\0\0WEBP"),
        }
    }

    #[test]
    fn an_answer_reads_as_it_was_written() {
        let answers = InvalidPicture::ALL.into_iter().map(Err).chain([Ok(picture())]);
        for answer in answers {
            assert_eq!(decode(&Bytes::from(encode(&answer))), Some(answer));
        }
    }

    #[test]
    fn a_part_of_an_answer_is_none_and_so_is_more() {
        let whole = encode(&Ok(picture()));
        for length in 0..whole.len() {
            assert_eq!(decode(&Bytes::copy_from_slice(&whole[..length])), None, "{length}");
        }
        let more = [whole.as_slice(), b"?"].concat();
        assert_eq!(decode(&Bytes::from(more)), None);
        assert_eq!(decode(&Bytes::from_static(b"Rx")), None);
        assert_eq!(decode(&Bytes::from_static(b"Rbb")), None);
        let mut lie = picture();
        lie.small = Bytes::from_static(b"<script>");
        assert_eq!(decode(&Bytes::from(encode(&Ok(lie)))), None);
    }
}
