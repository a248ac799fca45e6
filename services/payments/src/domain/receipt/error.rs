//! Why a receipt cannot be issued.

/// The longest serial number that the rules for tax invoices allow.
pub const SERIAL_CHARS_MAX: usize = 16;

/// Why a receipt cannot be issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// The number has too many digits behind this prefix.
    #[error("its serial number would be longer than {SERIAL_CHARS_MAX} characters")]
    SerialTooLong,
    /// There is no such rate of GST.
    #[error("there is no such rate of GST")]
    NoSuchRate,
    /// A receipt is for money that came.
    #[error("the amount is not one that can be paid")]
    AmountNotPayable,
}
