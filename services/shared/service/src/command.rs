//! The head of a command: its key, its audit, its trace and its transaction.

use std::sync::Arc;

use eventstore::{Act, IdempotencyKey, KeyRejection, Metadata, Store, Tx};
use futures::future::BoxFuture;
use kernel::id::Kind;
use kernel::{CommandError, Id};
use runtime::failpoint::Step;
use staff::Staff;

/// Does `work` about one thing, if this key is new, in a transaction that also stores the key. An
/// act of staff is recorded in the audit log, each time.
pub async fn once<K, A, R, F>(
    key: IdempotencyKey,
    (store, app): (&Store, &Arc<A>),
    staff: Option<Staff>,
    id: Id<K>,
    work: F,
) -> Result<Id<K>, CommandError<R>>
where
    K: Kind,
    A: Send + Sync + 'static,
    R: KeyRejection + Send + 'static,
    F: for<'t> Fn(&'t mut Tx, &'t A) -> BoxFuture<'t, Result<(), CommandError<R>>>,
    F: Send + Sync + 'static,
{
    let metadata = Metadata::traced(key.caller.clone()).about(id.to_string());
    let shared = Arc::new((key, Arc::clone(app), work));
    // The step is called as the command's own function.
    let done = store.write_step(Step::of::<F>(), metadata, move |tx| {
        let shared = Arc::clone(&shared);
        Box::pin(async move {
            let (key, app, work) = &*shared;
            if let Some(staff) = staff {
                tx.audit(staff, Act { action: key.method, subject: &id.to_string() }).await?;
            }
            if key.lookup::<K>(tx).await?.is_none() {
                work(tx, app).await?;
                key.store(tx, id).await?;
            }
            Ok(id)
        })
    });
    done.await
}
