//! Enums whose values have a word each: in tables, in events, in settings, in logs or on the wire.

use std::fmt;

/// A text is none of the words that it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownWord(#[doc(hidden)] pub &'static [&'static str]);

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (last, others) = self.0.split_last().unwrap_or((&"", &[]));
        write!(f, "it must be {} or {last}", others.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

/// Declares an enum with the word of each value beside its name, which may change while the word
/// stays. It gives the words, reads them back, also as a setting, and lists all values.
///
/// ```
/// kernel::words! {
///     /// In which way money was handed over.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq)]
///     pub enum Way {
///         /// In cash.
///         Cash = "cash",
///         /// By UPI.
///         Upi = "upi",
///     }
/// }
/// assert_eq!(Way::Upi.word(), "upi");
/// assert_eq!(Way::from_word("cash"), Some(Way::Cash));
/// assert_eq!(Way::ALL, [Way::Cash, Way::Upi]);
/// assert_eq!("card".parse::<Way>().unwrap_err().to_string(), "it must be cash or upi");
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// All of them, in order.
            $vis const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its word.
            #[must_use]
            $vis const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The value that has this word.
            #[must_use]
            $vis fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::from_word(word).ok_or($crate::words::UnknownWord(&[$($word),+]))
            }
        }
    };
}
