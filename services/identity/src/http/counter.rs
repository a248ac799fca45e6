//! A credential whose counter did not go up: it was moved to a manager that counts anew or not at
//! all, or it was copied. It lets in; the log and the person are told.

use eventstore::Tx;
use kernel::Timestamp;
use uuid::Uuid;

use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::error::ApiError;
use crate::repository::notices;
use crate::repository::sessions::Device;

pub(crate) async fn tell(
    tx: &mut Tx,
    (user_id, method): (Uuid, Method),
    device: &Device,
    now: Timestamp,
) -> Result<(), ApiError> {
    let about = About::Account(user_id);
    security_log::write(Kind::CredentialCounter, Outcome::Done, method, about);
    notices::tell_counter(tx, user_id, device, now).await?;
    Ok(())
}
