//! What the child tells its parent: a picture in two sizes, or why there is none.

use bytes::Bytes;

use crate::picture::kind::Kind;

/// The first byte where a picture follows.
const PICTURE: u8 = b'P';
/// The first byte where a reason follows.
const REFUSAL: u8 = b'R';
/// The most bytes of an answer; both sizes of the noisiest picture have fewer.
pub const ANSWER_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// A picture that was made anew.
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

/// Why a file is no picture that we take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It is of another kind.
    #[error("it is of another kind")]
    Kind,
    /// It moves.
    #[error("it moves")]
    Moving,
    /// It has too many pixels, or none.
    #[error("it has too many pixels")]
    Pixels,
    /// It cannot be decoded.
    #[error("it cannot be decoded")]
    Broken,
}

impl Unfit {
    const ALL: [Self; 4] = [Self::Kind, Self::Moving, Self::Pixels, Self::Broken];

    const fn code(self) -> u8 {
        match self {
            Self::Kind => b'k',
            Self::Moving => b'm',
            Self::Pixels => b'p',
            Self::Broken => b'b',
        }
    }
}

/// The answer as bytes.
#[must_use]
pub fn write(answer: &Result<Shrunk, Unfit>) -> Vec<u8> {
    let shrunk = match answer {
        Ok(shrunk) => shrunk,
        Err(unfit) => return vec![REFUSAL, unfit.code()],
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

/// Reads an answer. None means that nobody could have meant it: the child was broken, or has become
/// somebody else's.
#[must_use]
pub fn read(answer: &Bytes) -> Option<Result<Shrunk, Unfit>> {
    let mut at = 1_usize;
    let mut next = |count: usize| {
        let end = at.checked_add(count)?;
        let range = at..end;
        answer.get(range.clone())?;
        at = end;
        Some(answer.slice(range))
    };
    match answer.first() {
        Some(&REFUSAL) => {
            let code = next(1)?.first().copied()?;
            let unfit = Unfit::ALL.into_iter().find(|unfit| unfit.code() == code)?;
            (answer.len() == 2).then_some(Err(unfit))
        }
        Some(&PICTURE) => {
            let mut number = || Some(u32::from_be_bytes(next(4)?.as_ref().try_into().ok()?));
            let (width, height) = (number()?, number()?);
            let (large, small) = (number()?, number()?);
            let large = next(usize::try_from(large).ok()?)?;
            let small = next(usize::try_from(small).ok()?)?;
            let both = [&large, &small].into_iter().all(|it| Kind::of(it) == Some(Kind::WebP));
            let whole = both && at == answer.len();
            whole.then_some(Ok(Shrunk { width, height, large, small }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Shrunk, Unfit, read, write};

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
        let answers = Unfit::ALL.into_iter().map(Err).chain([Ok(picture())]);
        for answer in answers {
            assert_eq!(read(&Bytes::from(write(&answer))), Some(answer));
        }
    }

    #[test]
    fn a_part_of_an_answer_is_none_and_so_is_more() {
        let whole = write(&Ok(picture()));
        for length in 0..whole.len() {
            assert_eq!(read(&Bytes::copy_from_slice(&whole[..length])), None, "{length}");
        }
        let more = [whole.as_slice(), b"?"].concat();
        assert_eq!(read(&Bytes::from(more)), None);
        assert_eq!(read(&Bytes::from_static(b"Rx")), None);
        assert_eq!(read(&Bytes::from_static(b"Rbb")), None);
        let mut lie = picture();
        lie.small = Bytes::from_static(b"<script>");
        assert_eq!(read(&Bytes::from(write(&Ok(lie)))), None);
    }
}
