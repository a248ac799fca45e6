//! The codes with which a client moves or cancels a booking on its page where the key of a mail
//! alone is not enough. A code goes to the address that the booking has, and works for one act.

use std::sync::Arc;

use eventstore::{Metadata, Tx};
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::App;
use super::consent_codes::{Tried, try_code};
use super::open_checkout::load_owned;
use super::page_keys::{FoundKey, find_session_page};
use crate::domain::consent::code::{self, CodePurpose, CodesOf};
use crate::domain::page_code::PageCodeError;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::View;
use crate::repository::consent_codes;

/// Has a code mailed to the client of a page's booking. Asking twice within seconds mails one.
///
/// # Errors
/// `BookingNotFound` or why the key has ended, `NotCancellable` where nothing is to come, or
/// `PageCodeError::TooMany`.
pub async fn request_page_code(app: &Arc<App>, page_key: &str) -> Result<(), Error> {
    let FoundKey { booking_id: id, view, .. } = find_session_page(app, page_key).await?;
    let customer_id = view.customer_id;
    let metadata = Metadata::traced(customer_id.to_string()).about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let app = Arc::clone(&app_for_task);
            Box::pin(async move { request(tx, &app, customer_id, id).await })
        })
        .await?;
    tracing::info!(booking_id = %id, "a code for an act on a page was asked for");
    Ok(())
}

async fn request(
    tx: &mut Tx,
    app: &App,
    customer_id: Id<Customer>,
    id: Id<Booking>,
) -> Result<(), Error> {
    let mut locked = load_owned(tx, app, customer_id, id).await?;
    let now = locked.now;
    let of = CodesOf { booking_id: id, purpose: CodePurpose::Page };
    let recent = consent_codes::requested(tx, of, now.plus_minutes(-code::BUDGET_MINUTES)).await?;
    let newest = consent_codes::newest(tx.connection(), of).await?;
    // What an act has used up is no code for the next one.
    let is_used = newest.is_some_and(|code| code.is_used);
    match code::may_request(&recent, now) {
        code::Budget::JustRequested if !is_used => return Ok(()),
        code::Budget::JustRequested if code::is_spent(&recent) => {
            return Err(refused(PageCodeError::TooMany));
        }
        code::Budget::Spent => return Err(refused(PageCodeError::TooMany)),
        code::Budget::JustRequested | code::Budget::Free => {}
    }
    let number = locked.request_page_code(tx).await?;
    consent_codes::insert(tx, of, number, now).await?;
    Ok(())
}

/// Checks a typed code, and returns its number.
///
/// # Errors
/// `PageCodeError::Wrong`, or `Ended` when there is none that works.
pub(super) async fn check_page_code(
    app: &Arc<App>,
    view: &View,
    digits: String,
) -> Result<i64, Error> {
    match try_code(app, CodePurpose::Page, view, digits).await? {
        Tried::Right(typed) => Ok(typed.number),
        Tried::Wrong => Err(refused(PageCodeError::Wrong)),
        Tried::Ended => Err(refused(PageCodeError::Ended)),
    }
}

fn refused(why: PageCodeError) -> Error {
    refuse(Rejection::PageCode(why))
}
