//! How a command fails, in terms that every edge can translate.

use std::error::Error;
use std::fmt;

/// The family of a refusal; the edge maps it to a gRPC or Connect code of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request is wrong in itself.
    InvalidArgument,
    /// The request is valid, but not in the present state.
    FailedPrecondition,
    /// There is no such thing, or not for this caller.
    NotFound,
    /// The caller may not do this.
    PermissionDenied,
    /// The caller did not prove who they are.
    Unauthenticated,
    /// Another request was faster; trying again may work.
    Aborted,
    /// It exists already, in another form.
    AlreadyExists,
    /// A limit is reached.
    ResourceExhausted,
    /// A part is down; trying again later works.
    Unavailable,
}

/// A closed set of reasons for which a command is refused. Its `Display` is a sentence for people.
pub trait Reject: Error + Send + Sync + 'static {
    /// The family that it belongs to.
    fn code(&self) -> Code;
    /// A stable word for programs, for example `SLOT_TAKEN`.
    fn reason(&self) -> &'static str;
    /// The request's field that is wrong, as its path, if one field is.
    fn field(&self) -> Option<&'static str> {
        None
    }
}

/// What callers learn of a rejection; [`rejections!`](crate::rejections) writes it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Answer<'a> {
    pub code: Code,
    pub reason: &'static str,
    pub field: Option<&'static str>,
    pub text: fmt::Arguments<'a>,
}

/// Declares an enum of rejections, each by one line: its name, its code, its reason, the field that
/// is wrong behind an `@`, and its sentence, which may print the data that it carries. At the end
/// stand other rejections that it passes on as they are.
///
/// ```
/// # kernel::rejections! { pub enum TokenError {
/// #     Missing: Unauthenticated "TOKEN_MISSING", "Please sign in.";
/// # } }
/// kernel::rejections! {
///     /// Why a request is rejected.
///     pub enum Rejection {
///         SlotTaken: Aborted "SLOT_TAKEN" @ "starts_at", "This time was just taken.";
///         TooEarly(minutes: i32): FailedPrecondition "TOO_EARLY", "Please wait {minutes} minutes.";
///         ..Token(TokenError);
///     }
/// }
/// use kernel::Reject as _;
/// assert_eq!(Rejection::SlotTaken.field(), Some("starts_at"));
/// assert_eq!(Rejection::TooEarly(5).to_string(), "Please wait 5 minutes.");
/// assert_eq!(Rejection::from(TokenError::Missing).reason(), "TOKEN_MISSING");
/// ```
///
/// With `for` in the place of `enum` it takes one that is declared elsewhere; its data are patterns
/// then, for a line by each of them.
#[macro_export]
macro_rules! rejections {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($variant:ident $(($data:ident: $kind:ty))?:
            $code:ident $reason:literal $(@ $field:literal)?,
            $text:literal $(, $argument:ident = $value:expr)*;)*
        $(..$passed:ident($inner:ty);)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name {
            $(#[doc = $text] $variant $(($kind))?,)*
            $(#[doc = "Another rejection."] $passed($inner),)*
        }
        $(impl From<$inner> for $name {
            fn from(inner: $inner) -> Self {
                Self::$passed(inner)
            }
        })*
        $crate::rejections! { for $name {
            $($variant $(($data))?:
                $code $reason $(@ $field)?, $text $(, $argument = $value)*;)*
            $(..$passed;)*
        } }
    };
    (for $name:ident {
        $($variant:ident $(($data:pat))?:
            $code:ident $reason:literal $(@ $field:literal)?,
            $text:literal $(, $argument:ident = $value:expr)*;)*
        $(..$passed:ident;)*
    }) => {
        impl $name {
            fn answer<T>(&self, make: impl FnOnce($crate::refusal::Answer<'_>) -> T) -> T {
                match self {
                    $(Self::$variant $(($data))? => make($crate::refusal::Answer {
                        code: $crate::Code::$code,
                        reason: $reason,
                        field: None $(.or(Some($field)))?,
                        text: format_args!($text $(, $argument = $value)*),
                    }),)*
                    $(Self::$passed(inner) => make($crate::refusal::Answer {
                        code: $crate::Reject::code(inner),
                        reason: $crate::Reject::reason(inner),
                        field: $crate::Reject::field(inner),
                        text: format_args!("{inner}"),
                    }),)*
                }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.answer(|answer| f.write_fmt(answer.text))
            }
        }
        impl std::error::Error for $name {}
        impl $crate::Reject for $name {
            fn code(&self) -> $crate::Code {
                self.answer(|answer| answer.code)
            }
            fn reason(&self) -> &'static str {
                self.answer(|answer| answer.reason)
            }
            fn field(&self) -> Option<&'static str> {
                self.answer(|answer| answer.field)
            }
        }
    };
}

/// A store cannot keep a value, such as a text with the character zero: the request is wrong, and
/// no part is down. It is one of an error's causes, and the edge turns it into a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a value cannot be stored")]
pub struct ValueRefused;

/// How a command can fail: by a decision, or by a fault below it.
#[derive(Debug, thiserror::Error)]
pub enum CommandError<R> {
    /// The aggregate refused.
    #[error("{0}")]
    Rejected(R),
    /// Other requests kept changing the same things; after three tries the caller is told to try
    /// again.
    #[error("somebody else changed this at the same moment")]
    Conflict,
    /// There is no such thing for this caller.
    #[error("there is no such thing")]
    NotFound,
    /// A needed part did not answer; the source is for the log and never for the caller.
    #[error("a part is not available")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
}

impl<R> CommandError<R> {
    /// Wraps the error of a part.
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unavailable(source.into())
    }
}
