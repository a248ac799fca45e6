//! Declares rejections: code, reason, field and sentence of each in one place.

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
///         TooEarly(minutes: i32): FailedPrecondition "TOO_EARLY", "Wait {minutes} minutes.";
///         ..Token(TokenError);
///     }
/// }
/// use kernel::Reject as _;
/// assert_eq!(Rejection::SlotTaken.field(), Some("starts_at"));
/// assert_eq!(Rejection::TooEarly(5).to_string(), "Wait 5 minutes.");
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
