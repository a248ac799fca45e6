//! Who acts on an own booking: its client, who is signed in, or the holder of the key of its page,
//! who has typed a mailed code or not.

use eventstore::Tx;
use kernel::Id;
use kernel::id::{Booking, Customer};

use crate::domain::booking::State;
use crate::domain::consent::code::{CodePurpose, CodesOf};
use crate::domain::page_code::PageCodeError;
use crate::error::{Error, Rejection, refuse};
use crate::repository::consent_codes;

/// Who acts, for the client whose booking it has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnActor {
    /// The client.
    pub customer_id: Id<Customer>,
    proof: Proof,
}

/// What shows that it is the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// A sign-in.
    Account,
    /// The key of a mail, which may have been forwarded.
    Key,
    /// The same with the code of this number.
    Code(i64),
}

impl From<Id<Customer>> for OwnActor {
    fn from(customer_id: Id<Customer>) -> Self {
        Self { customer_id, proof: Proof::Account }
    }
}

impl OwnActor {
    /// The holder of a page's key.
    #[must_use]
    pub fn by_key(customer_id: Id<Customer>) -> Self {
        Self { customer_id, proof: Proof::Key }
    }

    /// The same, who has typed the code of this number.
    #[must_use]
    pub fn by_code(customer_id: Id<Customer>, number: i64) -> Self {
        Self { customer_id, proof: Proof::Code(number) }
    }

    /// Asks for a code where an act needs one, and uses it up with the act.
    ///
    /// # Errors
    /// `PageCodeError::Required` without one, `Ended` for one that another act has used.
    pub(super) async fn prove(
        self,
        tx: &mut Tx,
        booking_id: Id<Booking>,
        needs_code: bool,
    ) -> Result<(), Error> {
        let refused = |why| Err(refuse(Rejection::PageCode(why)));
        match self.proof {
            Proof::Key if needs_code => refused(PageCodeError::Required),
            Proof::Code(number) if needs_code => {
                let of = CodesOf { booking_id, purpose: CodePurpose::Page };
                let now = tx.now().await?;
                let is_used = consent_codes::use_up(tx, of, number, now).await?;
                if is_used { Ok(()) } else { refused(PageCodeError::Ended) }
            }
            Proof::Account | Proof::Key | Proof::Code(_) => Ok(()),
        }
    }
}

/// Whether the practice asks for another time of a session, so that its client loses nothing by
/// moving it.
pub(super) fn is_displaced(state: &State, number: usize) -> bool {
    state.move_proposal().is_some_and(|proposal| proposal.session == number)
}
