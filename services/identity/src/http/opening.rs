//! Opens the session of an account that is there already, and tells its person of a new device.

use eventstore::Tx;
use kernel::Timestamp;

use crate::app::App;
use crate::http::error::ApiError;
use crate::repository::notices;
use crate::repository::sessions::{self, AuthMethod, Device, OpenedSession};
use crate::repository::users::User;

/// Opens a session. A first sign-in belongs to the sign-up, so no device is new then. The mail is
/// asked for in the same transaction and sent later: a sign-in does not wait for it.
pub(crate) async fn open(
    tx: &mut Tx,
    app: &App,
    user: User,
    (method, device): (AuthMethod, &Device),
    now: Timestamp,
) -> Result<OpenedSession, ApiError> {
    let is_first = user.last_sign_in_at.is_none();
    let opened = sessions::open(tx, user, (method, device), now).await?;
    if !is_first && let Some(email) = opened.user.address() {
        let user_id = opened.user.user_id;
        notices::tell_new_device(tx, (user_id, &email), (device, &app.codes), now).await?;
    }
    Ok(opened)
}
