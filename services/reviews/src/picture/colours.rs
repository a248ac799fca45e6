//! Colours of a picture with a profile, as phones write it (Display P3) and cameras (Adobe RGB),
//! become those of sRGB, because the profile is not kept.

use image::RgbImage;
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

/// The picture in sRGB. With a profile that cannot be read, or is not one of red, green and blue,
/// it stays as it is.
pub(super) fn in_srgb(picture: RgbImage, profile: Option<&[u8]>) -> RgbImage {
    match profile.and_then(|profile| converted(&picture, profile)) {
        Some(converted) => converted,
        None => picture,
    }
}

fn converted(picture: &RgbImage, profile: &[u8]) -> Option<RgbImage> {
    let profile = ColorProfile::new_from_slice(profile).ok()?;
    if profile.color_space != DataColorSpace::Rgb {
        return None;
    }
    let srgb = ColorProfile::new_srgb();
    let options = TransformOptions::default();
    let transform = profile.create_transform_8bit(Layout::Rgb, &srgb, Layout::Rgb, options).ok()?;
    let mut pixels = vec![0; picture.as_raw().len()];
    transform.transform(picture.as_raw(), &mut pixels).ok()?;
    RgbImage::from_raw(picture.width(), picture.height(), pixels)
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};
    use moxcms::ColorProfile;

    use super::in_srgb;

    fn seen(colour: [u8; 3], profile: &[u8]) -> [u8; 3] {
        let picture = RgbImage::from_pixel(3, 2, Rgb(colour));
        in_srgb(picture, Some(profile)).get_pixel(1, 1).0
    }

    #[test]
    fn the_red_of_a_phone_is_red() {
        let p3 = ColorProfile::new_display_p3().encode().unwrap();
        let [red, green, blue] = seen([234, 51, 35], &p3);
        assert!(red >= 253 && green <= 4 && blue <= 4, "{red} {green} {blue}");
        let adobe = ColorProfile::new_adobe_rgb().encode().unwrap();
        let [red, green, blue] = seen([219, 0, 0], &adobe);
        assert!(red >= 253 && green <= 4 && blue <= 4, "{red} {green} {blue}");
        for grey in [0, 128, 255] {
            let [red, green, blue] = seen([grey; 3], &p3);
            assert!([red, green, blue].iter().all(|it| it.abs_diff(grey) <= 1), "{red}");
        }
    }

    #[test]
    fn a_profile_that_says_nothing_changes_nothing() {
        let grey = ColorProfile::new_gray_with_gamma(2.2).encode().unwrap();
        for profile in [&b"ICC-SECRET"[..], b"", &grey] {
            assert_eq!(seen([234, 51, 35], profile), [234, 51, 35]);
        }
    }
}
