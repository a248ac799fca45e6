//! What becomes of an upload.

use kernel::Id;
use kernel::id::ReviewImage;

/// Why an upload was refused, in the words that its sender reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    /// It has too many bytes.
    #[error("Please select an image smaller than 5MB.")]
    TooLarge,
    /// It is no picture that we take.
    #[error("Please select a valid image file.")]
    Invalid,
    /// It did not arrive in time.
    #[error("Your image took too long to arrive. Please try again.")]
    TooSlow,
    /// It cannot be taken in now.
    #[error("Too many images are arriving right now. Please try again in a moment.")]
    Busy,
}

/// A picture that was taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uploaded {
    /// What a review names to have it.
    pub image_id: Id<ReviewImage>,
    /// Width of the large one in pixels.
    pub width: u32,
    /// Height of the large one in pixels.
    pub height: u32,
}
