//! Sample pictures as cameras and programs write them, with private metadata.

use std::io::Cursor;

use anyhow::{Context as _, Result};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder, Rgb, RgbImage};

/// Texts that must not occur in any served file.
pub(crate) const SECRETS: [&str; 5] =
    ["GPS-18.5204N", "ICC-SECRET", "XMP-SECRET", "TEXT-SECRET", "TRAILING-SECRET"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Jpeg,
    Png,
    WebP,
}

pub(crate) const FORMATS: [Format; 3] = [Format::Jpeg, Format::Png, Format::WebP];

/// Red, green, blue and yellow, each in its corner.
pub(crate) const CORNERS: [[u8; 3]; 4] =
    [[220, 20, 20], [20, 200, 20], [20, 20, 220], [220, 220, 20]];

/// A picture of four corners, by rows: asking for the colour of each of millions of pixels takes
/// long without optimisation.
pub(crate) fn corners(width: u32, height: u32) -> RgbImage {
    let row = |left: usize| -> Vec<u8> {
        (0..width).flat_map(|x| CORNERS[left + usize::from(x * 2 >= width)]).collect()
    };
    let upper = usize::try_from(height.div_ceil(2)).unwrap();
    let lower = usize::try_from(height / 2).unwrap();
    let rows = [row(0).repeat(upper), row(2).repeat(lower)].concat();
    RgbImage::from_raw(width, height, rows).unwrap()
}

/// A grey JPEG, whose millions of pixels need not be encoded: each block of eight by eight says in
/// the same fourteen bits that it is as the one before.
pub(crate) fn grey_jpeg(width: u16, height: u16) -> Result<Vec<u8>> {
    let mut file = encoded(Format::Jpeg, &RgbImage::from_pixel(8, 8, Rgb([128; 3])), None)?;
    let frame = file.windows(2).position(|it| it == b"\xff\xc0").context("a frame")?;
    file[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    file[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    let scan = file.windows(2).position(|it| it == b"\xff\xda").context("a scan")?;
    // Its header has fourteen bytes.
    file.truncate(scan + 14);
    let blocks = usize::from(width).div_ceil(8) * usize::from(height).div_ceil(8);
    file.extend(b"\x28\x00\xa0\x02\x80\x0a\x00".repeat(blocks / 4));
    // The last byte is filled up with ones.
    file.extend(match blocks % 4 {
        1 => &b"\x28\x03"[..],
        2 => b"\x28\x00\xa0\x0f",
        3 => b"\x28\x00\xa0\x02\x80\x3f",
        _ => b"",
    });
    file.extend(b"\xff\xd9");
    Ok(file)
}

/// The picture as a camera stores it with this EXIF `orientation`, by the standard's table of where
/// the first row and column belong.
pub(crate) fn turned(upright: &RgbImage, orientation: u16) -> RgbImage {
    let (width, height) = upright.dimensions();
    let (right, bottom) = (width - 1, height - 1);
    let size = if orientation < 5 { (width, height) } else { (height, width) };
    let mut stored = RgbImage::new(size.0, size.1);
    for (x, y, pixel) in upright.enumerate_pixels() {
        let (column, row) = match orientation {
            2 => (right - x, y),
            3 => (right - x, bottom - y),
            4 => (x, bottom - y),
            5 => (y, x),
            6 => (y, right - x),
            7 => (bottom - y, right - x),
            8 => (bottom - y, x),
            _ => (x, y),
        };
        stored.put_pixel(column, row, *pixel);
    }
    stored
}

/// An EXIF block with a place and an orientation.
pub(crate) fn exif(orientation: u16) -> Vec<u8> {
    let place = b"GPS-18.5204N 73.8567E\0";
    let mut block = b"II*\0\x08\0\0\0\x02\0".to_vec();
    block.extend([0x0e, 0x01, 2, 0]);
    block.extend(u32::try_from(place.len()).unwrap().to_le_bytes());
    block.extend(38_u32.to_le_bytes());
    block.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0]);
    block.extend(u32::from(orientation).to_le_bytes());
    block.extend([0; 4]);
    assert_eq!(block.len(), 38, "the place stands where the entry says");
    block.extend(place);
    block
}

/// The picture as a file with all kinds of metadata.
pub(crate) fn file(format: Format, picture: &RgbImage, orientation: u16) -> Result<Vec<u8>> {
    let mut file = encoded(format, picture, Some(orientation))?;
    match format {
        Format::Jpeg => {
            let xmp = b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>XMP-SECRET</x:xmpmeta>";
            file.splice(2..2, segment(0xe1, xmp));
            file.splice(2..2, segment(0xfe, b"TEXT-SECRET"));
        }
        Format::Png => {
            let text = b"XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta>XMP-SECRET</x:xmpmeta>";
            let after_header = 33;
            file.splice(after_header..after_header, chunk(*b"iTXt", text));
            file.splice(after_header..after_header, chunk(*b"tEXt", b"Comment\0TEXT-SECRET"));
        }
        Format::WebP => {
            file.extend(b"XMP \x22\0\0\0<x:xmpmeta>XMP-SECRET</x:xmpmeta>");
            let riff = u32::try_from(file.len() - 8)?.to_le_bytes();
            file[4..8].copy_from_slice(&riff);
        }
    }
    file.extend(b"<script>TRAILING-SECRET</script>");
    Ok(file)
}

/// The picture as a file; with an orientation, it also has a place and a colour profile.
pub(crate) fn encoded(
    format: Format,
    picture: &RgbImage,
    orientation: Option<u16>,
) -> Result<Vec<u8>> {
    let mut file = Cursor::new(Vec::new());
    match format {
        Format::Jpeg => write(JpegEncoder::new_with_quality(&mut file, 92), picture, orientation)?,
        Format::Png => write(PngEncoder::new(&mut file), picture, orientation)?,
        Format::WebP => write(WebPEncoder::new_lossless(&mut file), picture, orientation)?,
    }
    Ok(file.into_inner())
}

fn write(mut encoder: impl ImageEncoder, it: &RgbImage, orientation: Option<u16>) -> Result<()> {
    if let Some(orientation) = orientation {
        encoder.set_exif_metadata(exif(orientation))?;
        encoder.set_icc_profile(b"ICC-SECRET profile".to_vec())?;
    }
    encoder.write_image(it, it.width(), it.height(), ExtendedColorType::Rgb8)?;
    Ok(())
}

/// A segment of a JPEG file.
pub(crate) fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len() + 2).unwrap();
    [&[0xff, marker][..], &length.to_be_bytes(), content].concat()
}

/// A chunk of a PNG file.
pub(crate) fn chunk(kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap();
    let named = [&kind[..], content].concat();
    [&length.to_be_bytes()[..], &named, &crc32(&named).to_be_bytes()].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The names of a WebP file's chunks; None when it has anything but complete chunks.
pub(crate) fn chunks_of(file: &[u8]) -> Option<Vec<String>> {
    let length = u32::from_le_bytes(file.get(4..8)?.try_into().ok()?);
    let whole = usize::try_from(length).ok()? + 8 == file.len();
    let mut rest = file.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WEBP")?;
    let mut names = Vec::new();
    while !rest.is_empty() {
        names.push(String::from_utf8_lossy(rest.get(..4)?).into_owned());
        let length = u32::from_le_bytes(rest.get(4..8)?.try_into().ok()?);
        let length = usize::try_from(length).ok()?;
        rest = rest.get(8 + length + length % 2..)?;
    }
    whole.then_some(names)
}
