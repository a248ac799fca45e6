//! The kinds of mails: each has a file in `kinds/`, after which it is named.

use std::fmt;
use std::str::FromStr;

use contract::notifications::v1::MailKind;

/// A row holds a value that this program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a word of the mails table")]
pub struct UnknownValue;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:ident)*) => {
        /// The kind of a mail. Its name is that of its templates and of its rows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// Its name in rows, templates and logs.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($name),)*
                }
            }

            /// Its name on the wire.
            #[must_use]
            pub const fn wire(self) -> MailKind {
                match self {
                    $(Self::$kind => MailKind::$kind,)*
                }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = UnknownValue;

    fn from_str(text: &str) -> Result<Self, UnknownValue> {
        Self::ALL.iter().copied().find(|kind| kind.name() == text).ok_or(UnknownValue)
    }
}
