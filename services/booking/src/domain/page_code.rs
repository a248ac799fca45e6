//! What asks for a code that is mailed: acts on a booking's page by which its client loses
//! something, because mail scanners follow links and people forward mails.

kernel::rejections! {
    /// Why an act on a booking's page is refused for its code.
    pub enum PageCodeError {
        Required: FailedPrecondition "PAGE_CODE_REQUIRED" @ "code",
            "Please type the code that we mail to the address of this booking.";
        Wrong: FailedPrecondition "PAGE_CODE_WRONG" @ "code",
            "That is not the code. Please check it and type it again.";
        // None was mailed, or it is too old, was tried too often or has been used.
        Ended: FailedPrecondition "PAGE_CODE_ENDED" @ "code",
            "That code does not work any more. Please ask for another one.";
        TooMany: ResourceExhausted "TOO_MANY_PAGE_CODES",
            "We have mailed several codes. Please use the newest one, or try again in an hour.";
    }
}

/// What the holder of a page's key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageAct {
    /// A session gets another time.
    Move,
    /// Sessions are cancelled; `loses`: less comes back than they cost, or grace is used up.
    Cancel {
        /// Whether the client loses something by it.
        loses: bool,
    },
}

impl PageAct {
    /// Whether the key alone is not enough. `is_displaced`: the practice asks for another time of
    /// the session, so that moving it loses nothing.
    #[must_use]
    pub fn needs_code(self, is_displaced: bool) -> bool {
        match self {
            Self::Move => !is_displaced,
            Self::Cancel { loses } => loses,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageAct;

    #[test]
    fn what_loses_something_needs_a_code() {
        assert!(PageAct::Move.needs_code(false) && !PageAct::Move.needs_code(true));
        for is_displaced in [false, true] {
            assert!(PageAct::Cancel { loses: true }.needs_code(is_displaced));
            assert!(!PageAct::Cancel { loses: false }.needs_code(is_displaced));
        }
    }
}
