//! Enums whose values have a word each: in tables, in events, in logs or on the wire.

/// Declares an enum with the word of each value beside its name, which may change while the word
/// stays. It gives the words, reads them back, and lists all values.
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
    };
}
