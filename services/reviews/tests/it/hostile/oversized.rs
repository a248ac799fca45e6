//! Small files that demand many pixels, much memory or much time.

use std::io::Write as _;

use anyhow::Result;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::files::{Hostile, PAYLOAD, either, invalid};
use crate::samples::{Format, chunk, corners, encoded, grey_jpeg, segment};

/// The signature and header of a PNG file.
fn png_header(width: u32, height: u32, depth: u8, colour: u8) -> Vec<u8> {
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([depth, colour, 0, 0, 0]);
    [&b"\x89PNG\r\n\x1a\n"[..], &chunk(*b"IHDR", &header)].concat()
}

fn zeros(count: usize) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let part = vec![0; 1 << 20];
    let mut left = count;
    while left > 0 {
        let now = left.min(part.len());
        encoder.write_all(&part[..now])?;
        left -= now;
    }
    Ok(encoder.finish()?)
}

/// A complete PNG file of one colour.
fn png_of_zeros(width: u32, height: u32, depth: u8, colour: u8) -> Result<Vec<u8>> {
    let channels = match colour {
        2 => 3,
        4 => 2,
        6 => 4,
        _ => 1,
    };
    let row = 1 + (usize::try_from(width)? * channels * usize::from(depth)).div_ceil(8);
    let data = chunk(*b"IDAT", &zeros(row * usize::try_from(height)?)?);
    Ok([png_header(width, height, depth, colour), data, chunk(*b"IEND", b"")].concat())
}

/// A JPEG file with this header and hardly any pixels.
fn jpeg_header(width: u16, height: u16, components: u8) -> Vec<u8> {
    let mut frame = vec![8];
    frame.extend(height.to_be_bytes());
    frame.extend(width.to_be_bytes());
    frame.push(components);
    frame.extend((1..=components).flat_map(|id| [id, 0x11, 0]));
    let mut file = b"\xff\xd8".to_vec();
    file.extend(segment(0xdb, &[&[0][..], &[1; 64]].concat()));
    file.extend(segment(0xc0, &frame));
    file.extend(segment(0xda, &[1, 1, 0, 0, 63, 0]));
    file.extend(PAYLOAD);
    file.extend(b"\xff\xd9");
    file
}

fn webp(chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (name, content) in chunks {
        body.extend(*name);
        body.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
        body.extend(content);
        body.resize(body.len().next_multiple_of(2), 0);
    }
    [&b"RIFF"[..], &u32::try_from(body.len()).unwrap().to_le_bytes(), &body].concat()
}

/// A canvas of the extended format: sides minus one in three bytes.
fn canvas(flags: u8, width: u32, height: u32) -> (&'static [u8; 4], Vec<u8>) {
    let mut content = vec![flags, 0, 0, 0];
    content.extend(&(width - 1).to_le_bytes()[..3]);
    content.extend(&(height - 1).to_le_bytes()[..3]);
    (b"VP8X", content)
}

/// A lossless picture's header: sides minus one in 14 bits each.
fn lossless(width: u32, height: u32) -> (&'static [u8; 4], Vec<u8>) {
    let bits = (width - 1) | ((height - 1) << 14);
    (b"VP8L", [&[0x2f][..], &bits.to_le_bytes(), PAYLOAD].concat())
}

/// A lossy picture's header: a key frame and sides in 14 bits each.
fn lossy(width: u16, height: u16) -> (&'static [u8; 4], Vec<u8>) {
    let mut content = b"\x10\x02\x00\x9d\x01\x2a".to_vec();
    content.extend(width.to_le_bytes());
    content.extend(height.to_le_bytes());
    content.extend(PAYLOAD);
    (b"VP8 ", content)
}

pub(super) fn files() -> Result<Vec<Hostile>> {
    let mut files = Vec::new();
    for (width, height) in [
        (20_000, 20_000),
        (8000, 8000),
        (8001, 1),
        (1, 8001),
        (65_535, 65_535),
        (i32::MAX.unsigned_abs(), i32::MAX.unsigned_abs()),
        (u32::MAX, u32::MAX),
        (0, 0),
        (0, 9),
    ] {
        let data = chunk(*b"IDAT", &zeros(1000)?);
        let file = [png_header(width, height, 8, 2), data].concat();
        files.push(invalid(format!("PNG of {width}x{height} with little data"), file));
    }
    files.push(invalid("PNG of one colour, 20000x20000", png_of_zeros(20_000, 20_000, 1, 0)?));
    files.push(invalid("PNG of one colour, 8000x8000", png_of_zeros(8000, 8000, 8, 0)?));
    files.push(either("PNG of one colour, 8000x3000", png_of_zeros(8000, 3000, 8, 2)?));
    files.push(either("PNG of nothing, 4800x5000", png_of_zeros(4800, 5000, 8, 6)?));
    files.push(either("PNG of 16 bits, 6000x4000", png_of_zeros(6000, 4000, 16, 6)?));
    files.extend(png_bombs_beside()?);
    for (width, height, components) in [
        (65_500, 65_500, 3),
        (20_000, 20_000, 1),
        (8000, 8000, 3),
        (8001, 8, 3),
        (0, 0, 3),
        (8000, 3000, 3),
        (64, 64, 200),
        (64, 64, 0),
        (64, 64, 2),
    ] {
        let name = format!("JPEG of {width}x{height} with {components} components");
        let file = jpeg_header(width, height, components);
        let whole = matches!((width, height), (8000, 3000) | (8001, 8)) || components == 2;
        files.push(if whole { either(name, file) } else { invalid(name, file) });
    }
    files.extend(webp_files());
    let mut scans = grey_jpeg(2000, 2000)?;
    let scan = scans.windows(2).position(|it| it == b"\xff\xda").unwrap_or(0);
    let again = scans[scan..scans.len() - 2].to_vec();
    while scans.len() + again.len() < 5_000_000 {
        scans.splice(scan..scan, again.iter().copied());
    }
    files.push(either("JPEG of many scans", scans));
    let mut padded = encoded(Format::Png, &corners(9, 9), None)?;
    padded.resize(5 * 1024 * 1024 + 1, 0);
    files.push(invalid("a byte too many", padded.clone()));
    padded.resize(9_000_000, 0);
    files.push(invalid("nine million bytes", padded));
    Ok(files)
}

/// PNG files with a decompression bomb outside the pixel data.
fn png_bombs_beside() -> Result<Vec<Hostile>> {
    let good = encoded(Format::Png, &corners(9, 9), None)?;
    let bomb = zeros(400 << 20)?;
    let hide = |kind: [u8; 4], head: &[u8]| {
        let hidden = chunk(kind, &[head, &bomb].concat());
        [&good[..33], &hidden, &good[33..]].concat()
    };
    Ok(vec![
        either("PNG with a bomb of text", hide(*b"zTXt", b"Comment\0\0")),
        either("PNG with a bomb of text in languages", hide(*b"iTXt", b"Comment\0\x01\0\0\0")),
        either("PNG with a bomb of a profile", hide(*b"iCCP", b"profile\0\0")),
        either("PNG with a bomb after its pixels", {
            let end = good.len() - 12;
            [&good[..end], &chunk(*b"IDAT", &bomb), &good[end..]].concat()
        }),
    ])
}

fn webp_files() -> Vec<Hostile> {
    let frame = [&[0; 6][..], &[7, 0, 0, 7, 0, 0, 10, 0, 0, 0], PAYLOAD].concat();
    vec![
        invalid("WebP of 16384x16384, lossless", webp(&[lossless(16_384, 16_384)])),
        invalid("WebP of 8000x8000, lossless", webp(&[lossless(8000, 8000)])),
        invalid("WebP of 16383x16383, lossy", webp(&[lossy(16_383, 16_383)])),
        invalid("WebP of no size, lossy", webp(&[lossy(0, 0)])),
        invalid("WebP of 8000x3000 with little data", webp(&[lossless(8000, 3000)])),
        either("WebP of 8000x3000 with little lossy data", webp(&[lossy(8000, 3000)])),
        invalid("WebP with a canvas alone", webp(&[canvas(0, 16_777_216, 16_777_216)])),
        invalid("WebP whose canvas lies", webp(&[canvas(0, 16, 16), lossless(8000, 3001)])),
        invalid(
            "WebP that moves",
            webp(&[canvas(2, 16, 16), (b"ANIM", vec![0; 6]), (b"ANMF", frame)]),
        ),
        invalid("WebP with nothing in it", webp(&[])),
        invalid("WebP with notes alone", webp(&[(b"EXIF", PAYLOAD.to_vec())])),
    ]
}
