//! Files of other formats, and polyglot files.

use anyhow::Result;
use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _};

use super::files::{Hostile, PAYLOAD, either, good, invalid};
use crate::samples::{FORMATS, Format, chunk, segment};

/// Other formats.
const OTHERS: [(&str, &[u8]); 5] = [
    ("HTML", b"<!DOCTYPE html><script>alert('HARMFUL-PAYLOAD')</script>"),
    ("ZIP", b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0HARMFUL-PAYLOAD\0\0PK\x05\x06\0\0\0\0"),
    ("PDF", b"%PDF-1.7\n1 0 obj<</JS(HARMFUL-PAYLOAD)>>endobj\n%%EOF"),
    ("SVG", b"<svg xmlns='http://www.w3.org/2000/svg' onload='HARMFUL-PAYLOAD'/>"),
    ("PHP", b"<?php system('HARMFUL-PAYLOAD'); ?>"),
];

/// Magic bytes of unsupported formats.
const BEGINNINGS: [(&str, &[u8]); 15] = [
    ("GIF", b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"),
    ("TIFF", b"II*\0\x08\0\0\0\0\0"),
    ("TIFF of the other order", b"MM\0*\0\0\0\x08\0\0"),
    ("BMP", b"BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0"),
    ("ICO", b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0"),
    ("AVIF", b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf"),
    ("HEIC", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
    ("MP4", b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"),
    ("JPEG XL", b"\xff\x0a\xfa\x7f\x01"),
    ("JPEG 2000", b"\0\0\0\x0cjP  \r\n\x87\n"),
    ("PSD", b"8BPS\0\x01\0\0\0\0\0\0\0\x03"),
    ("a program", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"),
    ("a sound", b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0"),
    ("a text", b"Please select a valid image file."),
    ("nothing", b""),
];

/// Magic bytes of a supported format.
fn magic(format: Format) -> &'static [u8] {
    match format {
        Format::Jpeg => b"\xff\xd8\xff\xe0",
        Format::Png => b"\x89PNG\r\n\x1a\n",
        Format::WebP => b"RIFF\x40\0\0\0WEBPVP8 ",
    }
}

/// A valid file with a payload in its comment.
fn remarked(format: Format, payload: &[u8], generator: &mut StdRng) -> Result<Vec<u8>> {
    let mut file = good(format, generator)?;
    match format {
        Format::Jpeg => drop(file.splice(2..2, segment(0xfe, payload))),
        Format::Png => drop(file.splice(33..33, chunk(*b"tEXt", &[b"A\0", payload].concat()))),
        Format::WebP => {
            file.extend(b"XMP ");
            file.extend(u32::try_from(payload.len())?.to_le_bytes());
            file.extend(payload);
        }
    }
    Ok(file)
}

pub(super) fn files(generator: &mut StdRng) -> Result<Vec<Hostile>> {
    let mut files = Vec::new();
    for (name, bytes) in BEGINNINGS {
        files.push(invalid(name, bytes.to_vec()));
    }
    for (name, other) in OTHERS {
        files.push(invalid(name, other.to_vec()));
        for format in FORMATS {
            let begun = [magic(format), other].concat();
            files.push(invalid(format!("{name} that begins as {format:?}"), begun));
            let before = [other, &good(format, generator)?].concat();
            files.push(invalid(format!("{name} before {format:?}"), before));
            let after = [&good(format, generator)?, other].concat();
            files.push(either(format!("{name} after {format:?}"), after));
            let within = remarked(format, other, generator)?;
            files.push(either(format!("{name} in a remark of {format:?}"), within));
        }
    }
    let good_png = good(Format::Png, generator)?;
    let moving = chunk(*b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
    files.push(invalid("PNG that moves", [&good_png[..33], &moving, &good_png[33..]].concat()));
    for number in 0..9 {
        let mut noise = vec![0; generator.random_range(1..20_000)];
        generator.fill_bytes(&mut noise);
        let format = FORMATS[number % 3];
        let begun = if number < 3 { &[][..] } else { magic(format) };
        let bytes = [begun, &noise, PAYLOAD].concat();
        files.push(invalid(format!("noise {number}"), bytes));
    }
    Ok(files)
}
