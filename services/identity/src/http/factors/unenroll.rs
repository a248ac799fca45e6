//! DELETE /factors/{factor_id}: a factor less. Sessions that it had raised drop to `aal1`.

use axum::Json;
use axum::extract::State;
use eventstore::Tx;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::bearer::SignedIn;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::factors::{FactorId, factor_not_found, verify};
use crate::http::levels::{self, Changing};
use crate::repository::notices::{self, NewNotice, NoticeKind};
use crate::repository::{factors, passkeys, recovery_codes, session_levels};

pub(crate) async fn unenroll(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
    FactorId(factor_id): FactorId,
) -> Result<Json<Value>, ApiError> {
    levels::refuse_anonymous(&signed_in)?;
    let caller = levels::caller(&signed_in);
    app.store
        .write(app::metadata(), move |tx| {
            let device = device.clone();
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                let user_id = changing.user.user_id;
                let factor = factors::lock(tx.connection(), user_id, factor_id).await?;
                let factor = factor.ok_or_else(factor_not_found)?;
                if factor.is_verified() && !changing.is_aal2() {
                    let message = "AAL2 required to unenroll verified factor";
                    return Err(ApiError::unprocessable("insufficient_aal", message));
                }
                factors::delete(tx.connection(), factor_id).await?;
                let method = verify::method(&factor.factor_type);
                session_levels::drop_raised(tx.connection(), (user_id, factor_id), method).await?;
                if factor.is_verified() {
                    let notice = NewNotice {
                        user_id,
                        kind: NoticeKind::FactorRemoved,
                        sent_to: None,
                        device: &device,
                        subject: factor.words(),
                    };
                    notices::tell(tx, notice, changing.now).await?;
                    forget_recovery_codes(tx, user_id).await?;
                }
                Ok(())
            })
        })
        .await?;
    let about = About::Account(caller.0);
    security_log::write(Kind::FactorChange, Outcome::Done, Method::Session, about);
    tracing::info!("a second factor was removed");
    Ok(Json(json!({ "id": factor_id })))
}

/// Deletes the recovery codes of an account that has neither factor nor passkey any more: they
/// would be its only second factor.
pub(crate) async fn forget_recovery_codes(tx: &mut Tx, user_id: Uuid) -> Result<(), ApiError> {
    let user = levels::reload(tx, user_id).await?;
    if !user.has_verified_factor() && !passkeys::exist(tx.connection(), user_id).await? {
        recovery_codes::delete_all(tx.connection(), user_id).await?;
    }
    Ok(())
}
