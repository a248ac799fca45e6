//! The outcome of an upload.

use kernel::Id;
use kernel::id::ReviewImage;

use crate::picture::protocol::InvalidPicture;

/// Why an upload is rejected; visitors read its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    /// It has too many bytes.
    #[error("Please select an image smaller than 5MB.")]
    TooLarge,
    /// It is not a picture, or is broken.
    #[error("Please select a valid image file.")]
    Invalid,
    /// It is a picture of a kind that is not read.
    #[error(
        "This kind of image, such as GIF, HEIC or AVIF, can't be shown. \
             Please select a JPEG, PNG or WebP."
    )]
    OtherKind,
    /// It moves.
    #[error("A moving image can't be shown. Please select a still JPEG, PNG or WebP.")]
    Animated,
    /// It has too many pixels.
    #[error("This image has too many pixels. Please select one of at most 24 million.")]
    TooManyPixels,
    /// It did not arrive in time.
    #[error("Your image took too long to arrive. Please try again.")]
    TooSlow,
    /// The service cannot accept it now.
    #[error("Too many images are arriving right now. Please try again in a moment.")]
    Busy,
}

impl From<InvalidPicture> for UploadError {
    fn from(why: InvalidPicture) -> Self {
        match why {
            InvalidPicture::UnsupportedFormat => Self::OtherKind,
            InvalidPicture::Animated => Self::Animated,
            InvalidPicture::TooManyPixels => Self::TooManyPixels,
            InvalidPicture::Undecodable => Self::Invalid,
        }
    }
}

/// An accepted picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uploaded {
    /// The id by which a review refers to it.
    pub image_id: Id<ReviewImage>,
    /// Width of the large one in pixels.
    pub width: u32,
    /// Height of the large one in pixels.
    pub height: u32,
}
