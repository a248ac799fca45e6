//! The outcome of an upload.

use kernel::Id;
use kernel::id::ReviewImage;

/// Why an upload is rejected; visitors read its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    /// It has too many bytes.
    #[error("Please select an image smaller than 5MB.")]
    TooLarge,
    /// It is not an accepted picture.
    #[error("Please select a valid image file.")]
    Invalid,
    /// It did not arrive in time.
    #[error("Your image took too long to arrive. Please try again.")]
    TooSlow,
    /// The service cannot accept it now.
    #[error("Too many images are arriving right now. Please try again in a moment.")]
    Busy,
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
