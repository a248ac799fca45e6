//! Accounts by phone: sign-up, codes by SMS or WhatsApp, sign-in, change of phone. The answers and
//! rules are those for addresses: a code proves the phone and not who made the account.

mod sign_up;
mod otp;
mod redeem;
mod change;
mod messages;

pub(crate) use self::change::{begin as begin_change, resend_change};
pub(crate) use self::messages::{
    channel, count_for_account, count_message, enabled, lock_and_count, logged, send_challenge,
};
pub(crate) use self::otp::{otp, reauthenticate, resend_sign_up};
pub(crate) use self::redeem::verify;
pub(crate) use self::sign_up::{PhoneSignUp, sign_up};
