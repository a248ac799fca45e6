//! Truncated pictures, and pictures with invalid lengths and metadata.

use anyhow::Result;
use rand::RngExt as _;
use rand::rngs::StdRng;

use super::files::{Hostile, either, good, invalid};
use crate::samples::{FORMATS, Format, chunk, exif, segment};

/// The number of truncated files per format, beside the shortest.
const CUTS: usize = 9;

pub(super) fn files(generator: &mut StdRng) -> Result<Vec<Hostile>> {
    let mut files = Vec::new();
    for format in FORMATS {
        for length in [3, 12, 30] {
            let cut = good(format, generator)?[..length].to_vec();
            files.push(invalid(format!("{length} bytes of {format:?}"), cut));
        }
        for _cut in 0..CUTS {
            let whole = good(format, generator)?;
            let length = generator.random_range(40..whole.len() - 20);
            let cut = whole[..length].to_vec();
            // A decoder would fill the rest of a JPEG picture with grey.
            let refused = if format == Format::Jpeg { invalid } else { either };
            files.push(refused(format!("{length} of {} bytes of {format:?}", whole.len()), cut));
        }
    }
    files.extend(absurd_jpegs(generator)?);
    files.extend(absurd_others(generator)?);
    Ok(files)
}

fn absurd_jpegs(generator: &mut StdRng) -> Result<Vec<Hostile>> {
    let whole = good(Format::Jpeg, generator)?;
    let notes = |content: &[u8]| {
        let noted = segment(0xe1, &[b"Exif\0\0", content].concat());
        [&whole[..2], &noted, &whole[2..]].concat()
    };
    let lengths = |length: u16| {
        let lie = [&b"\xff\xe1"[..], &length.to_be_bytes(), b"Exif\0\0"].concat();
        [&whole[..2], &lie, &whole[2..]].concat()
    };
    let mut endless = exif(6);
    // The first directory names itself as the next one.
    endless[34..38].copy_from_slice(&8_u32.to_le_bytes());
    let mut far = exif(6);
    far[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut many = exif(6);
    many[8..10].copy_from_slice(&u16::MAX.to_le_bytes());
    Ok(vec![
        either("JPEG with notes of 65535 bytes that are not there", lengths(u16::MAX)),
        either("JPEG with notes of no length", lengths(0)),
        either("JPEG with notes of length one", lengths(1)),
        either("JPEG with endless notes", notes(&endless)),
        either("JPEG with notes far away", notes(&far)),
        either("JPEG with 65535 notes", notes(&many)),
        either("JPEG with an orientation of 9", notes(&exif(9))),
        either("JPEG with an orientation of 65535", notes(&exif(u16::MAX))),
    ])
}

fn absurd_others(generator: &mut StdRng) -> Result<Vec<Hostile>> {
    let png = good(Format::Png, generator)?;
    let with = |inserted: &[u8]| [&png[..33], inserted, &png[33..]].concat();
    let lie = |length: u32| with(&[&length.to_be_bytes()[..], b"eXIf", &[0; 8]].concat());
    let webp = good(Format::WebP, generator)?;
    let sized = |length: u32| {
        let mut file = webp.clone();
        file[4..8].copy_from_slice(&length.to_le_bytes());
        file
    };
    let mut chunk_sized = webp.clone();
    chunk_sized[16..20].copy_from_slice(&(u32::MAX - 1).to_le_bytes());
    Ok(vec![
        invalid("PNG with a chunk of 4 GiB", lie(u32::MAX)),
        invalid("PNG with a chunk of 2 GiB", lie(i32::MAX.unsigned_abs())),
        either("PNG with notes that are none", with(&chunk(*b"eXIf", b"no notes"))),
        either("PNG with two headers", with(&png[8..33])),
        either("WebP of 4 GiB", sized(u32::MAX - 1)),
        either("WebP of no length", sized(0)),
        either("WebP with a chunk of 4 GiB", chunk_sized),
    ])
}
