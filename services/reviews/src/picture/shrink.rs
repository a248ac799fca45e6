//! The child that decodes one picture: `reviews shrink`, from standard input to standard output.
//!
//! It has no settings, logs or secrets: its environment is empty, and before it reads a byte it
//! limits its memory, CPU time, files and processes, and gives up all files, the network and other
//! programs. The effects of a hostile file end with this process, also of one that takes it over.

use std::io::{self, Cursor, Read as _, Write as _};
use std::process::ExitCode;

use bytes::Bytes;
use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageResult, Limits, RgbImage};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::picture::format::Format;
use crate::picture::name::Size;
use crate::picture::protocol::{self, InvalidPicture, Shrunk};
use crate::picture::spool::BODY_BYTES_MAX;
use crate::picture::{colours, confinement};

/// The command that starts the child.
pub const COMMAND: &str = "shrink";

/// Maximum pixels of a side; panoramas of phones have 16,000.
const SIDE_MAX: u32 = 30_000;
/// Maximum pixels in total.
const PIXELS_MAX: u64 = 24_000_000;
/// Maximum pixels of a JPEG that is decoded line by line, which needs little more than its pixels;
/// phones write up to 50 million.
const LINEAR_PIXELS_MAX: u64 = 56_000_000;
/// Maximum bytes of a decoder: 24 million pixels of 8 bytes, and some work space.
const DECODER_BYTES_MAX: u64 = 224 * 1024 * 1024;
/// Maximum address space of this process, its program included.
pub const PROCESS_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Maximum CPU seconds.
pub const CPU_SECONDS_MAX: u64 = 8;
/// Maximum open files: the three standard ones, and a few for system libraries.
const FILES_MAX: u64 = 8;
/// Quality of the encoder, of 100; at 80 no difference is visible.
const QUALITY: f32 = 80.0;

/// Shrinks the picture on standard input. The exit code only says whether there is a response.
#[must_use]
pub fn main() -> ExitCode {
    let confined = limit().map(|()| confinement::confine());
    match confined.and_then(|_as_far_as_possible| work()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_untellable) => ExitCode::FAILURE,
    }
}

fn limit() -> io::Result<()> {
    let at_most = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::Core, at_most(0))?;
    setrlimit(Resource::Fsize, at_most(0))?;
    setrlimit(Resource::Nofile, at_most(FILES_MAX))?;
    setrlimit(Resource::Cpu, at_most(CPU_SECONDS_MAX))?;
    let memory = setrlimit(Resource::As, at_most(PROCESS_BYTES_MAX));
    // Other systems than Linux count a process's memory differently.
    if cfg!(target_os = "linux") {
        memory?;
        setrlimit(Resource::Nproc, at_most(0))?;
    }
    Ok(())
}

fn work() -> io::Result<()> {
    let mut file = Vec::new();
    io::stdin().lock().take(BODY_BYTES_MAX + 1).read_to_end(&mut file)?;
    let answered = protocol::encode(&shrink(&file));
    let mut out = io::stdout().lock();
    out.write_all(&answered)?;
    out.flush()
}

/// Re-encodes the picture: upright, on white, in two sizes, without any other data of the file.
///
/// # Errors
/// Why the file is not accepted.
pub fn shrink(file: &[u8]) -> Result<Shrunk, InvalidPicture> {
    let Decoded { picture, orientation, profile } = decode(file)?;
    let large = smaller(on_white(picture), Size::Large).into_rgb8();
    let large = DynamicImage::from(colours::in_srgb(large, profile.as_deref()));
    let small = smaller(large.clone(), Size::Small);
    let upright = |mut picture: DynamicImage| {
        picture.apply_orientation(orientation);
        picture.into_rgb8()
    };
    let (large, small) = (upright(large), upright(small));
    Ok(Shrunk {
        width: large.width(),
        height: large.height(),
        large: encode(&large)?,
        small: encode(&small)?,
    })
}

/// A picture as its file has it.
struct Decoded {
    picture: DynamicImage,
    orientation: Orientation,
    /// Of its colours.
    profile: Option<Vec<u8>>,
}

fn decode(file: &[u8]) -> Result<Decoded, InvalidPicture> {
    let format = Format::detect(file).ok_or(InvalidPicture::UnsupportedFormat)?;
    let most = if is_linear_jpeg(file) { LINEAR_PIXELS_MAX } else { PIXELS_MAX };
    if format == Format::Jpeg && !is_whole_jpeg(file) {
        return Err(InvalidPicture::Undecodable);
    }
    let file = Cursor::new(file);
    match format {
        Format::Jpeg => pixels(broken(JpegDecoder::new(file))?, most),
        Format::Png => {
            let decoder = broken(PngDecoder::with_limits(file, limits()))?;
            if broken(decoder.is_apng())? {
                Err(InvalidPicture::Animated)
            } else {
                pixels(decoder, most)
            }
        }
        Format::WebP => {
            let decoder = broken(WebPDecoder::new(file))?;
            if decoder.has_animation() {
                Err(InvalidPicture::Animated)
            } else {
                pixels(decoder, most)
            }
        }
    }
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(DECODER_BYTES_MAX);
    limits
}

fn broken<T>(result: ImageResult<T>) -> Result<T, InvalidPicture> {
    result.map_err(|error| match error {
        image::ImageError::Limits(_) => InvalidPicture::TooManyPixels,
        _ => InvalidPicture::Undecodable,
    })
}

/// Checks the header before any pixel is decoded.
fn pixels(mut decoder: impl ImageDecoder, most: u64) -> Result<Decoded, InvalidPicture> {
    let (width, height) = decoder.dimensions();
    let count = u64::from(width) * u64::from(height);
    let fits = width <= SIDE_MAX && height <= SIDE_MAX && count <= most;
    if count == 0 {
        return Err(InvalidPicture::Undecodable);
    }
    if !fits || decoder.total_bytes() > DECODER_BYTES_MAX {
        return Err(InvalidPicture::TooManyPixels);
    }
    broken(decoder.set_limits(limits()))?;
    // If the EXIF data cannot be read, the picture is used as stored.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().ok().flatten();
    Ok(Decoded { picture: broken(DynamicImage::from_decoder(decoder))?, orientation, profile })
}

/// Whether a file is a JPEG of one pass (its frame is SOF0 or SOF1): one of several passes needs
/// all its coefficients in memory, too.
fn is_linear_jpeg(file: &[u8]) -> bool {
    let mut at = 2_usize;
    while let Some(&[0xff, marker, high, low]) = file.get(at..at.saturating_add(4)) {
        match marker {
            0xc0 | 0xc1 => return Format::detect(file) == Some(Format::Jpeg),
            // Other frames, the first scan, or the end.
            0xc2 | 0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf | 0xda | 0xd9 => return false,
            // A byte that fills.
            0xff => at += 1,
            _ => at = at.saturating_add(2 + usize::from(u16::from_be_bytes([high, low]))),
        }
    }
    false
}

/// Whether a JPEG has its end: the decoder fills what an interrupted upload left out with grey.
/// The end of a picture inside its notes, such as the camera's preview, does not count.
fn is_whole_jpeg(file: &[u8]) -> bool {
    let is_none = |code: u8| matches!(code, 0x00 | 0x01 | 0xd0..=0xd7 | 0xff);
    let is_marker = |pair: &[u8]| matches!(pair, [0xff, code] if !is_none(*code));
    let mut at = 2_usize;
    loop {
        let left = file.get(at..).unwrap_or_default();
        let Some(found) = left.windows(2).position(is_marker) else {
            return false;
        };
        let after = left.get(found.saturating_add(1)..).unwrap_or_default();
        let length = match *after {
            [0xd9, ..] => return true,
            [0xd8, ..] => 0,
            [_, high, low, ..] => usize::from(u16::from_be_bytes([high, low])),
            _ => return false,
        };
        at = at.saturating_add(found).saturating_add(2).saturating_add(length);
    }
}

/// Blends the picture over white.
fn on_white(picture: DynamicImage) -> DynamicImage {
    if !picture.color().has_alpha() {
        return picture.into_rgb8().into();
    }
    let (width, height) = (picture.width(), picture.height());
    let mixed = picture.into_rgba8();
    let mut plain = Vec::with_capacity(mixed.len() / 4 * 3);
    for pixel in mixed.chunks_exact(4) {
        match *pixel {
            // Fast paths: most of the millions of pixels are opaque or transparent.
            [red, green, blue, 255] => plain.extend_from_slice(&[red, green, blue]),
            [_, _, _, 0] => plain.extend_from_slice(&[255, 255, 255]),
            [red, green, blue, alpha] => {
                plain.extend([red, green, blue].map(|colour| blend(colour, alpha)));
            }
            _ => {}
        }
    }
    // The byte count is right by construction; the encoder rejects an empty picture.
    RgbImage::from_raw(width, height, plain).unwrap_or_default().into()
}

/// Blends a colour over white.
fn blend(colour: u8, alpha: u8) -> u8 {
    let (colour, alpha) = (u32::from(colour), u32::from(alpha));
    let sum = colour * alpha + 255 * (255 - alpha);
    u8::try_from((sum + 127) / 255).unwrap_or(u8::MAX)
}

/// Scales the picture down to this size. A smaller one is unchanged.
fn smaller(picture: DynamicImage, size: Size) -> DynamicImage {
    let side_max = size.side_max();
    let side = picture.width().max(picture.height());
    if side <= side_max {
        return picture;
    }
    // A good filter over a whole photograph costs a second and much memory; after a plain one to
    // twice the size the result looks the same.
    let twice = side_max * 2;
    let near = if side > twice { picture.thumbnail(twice, twice) } else { picture };
    near.resize(side_max, side_max, FilterType::Lanczos3)
}

fn encode(picture: &RgbImage) -> Result<Bytes, InvalidPicture> {
    let encoder = webp::Encoder::from_rgb(picture, picture.width(), picture.height());
    let encoded = encoder
        .encode_simple(false, QUALITY)
        .map_err(|_unencodable| InvalidPicture::Undecodable)?;
    Ok(Bytes::copy_from_slice(&encoded))
}

#[cfg(test)]
mod tests {
    use super::{blend, is_whole_jpeg};

    #[test]
    fn a_jpeg_is_whole_with_the_end_of_its_own_scans() {
        let head = b"\xff\xd8\xff\xe1\x00\x08\xff\xd8..\xff\xd9\xff\xda\x00\x03.";
        let scan = b"ab\xff\x00c\xff\xd0d";
        let whole = [&head[..], scan, b"\xff\xda\x00\x03.", scan, b"\xff\xd9more"].concat();
        assert!(is_whole_jpeg(&whole));
        for length in 0..whole.len() - b"more".len() {
            assert!(!is_whole_jpeg(&whole[..length]), "{length}");
        }
    }

    #[test]
    fn transparent_is_white_and_opaque_is_itself() {
        assert_eq!(
            [blend(0, 0), blend(200, 0), blend(0, 255), blend(200, 255)],
            [255, 255, 0, 200]
        );
        assert_eq!(blend(0, 128), 127);
    }
}
