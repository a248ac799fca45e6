//! One function per command: load under a lock, decide, append the events, and update the rows that
//! reads use.

use std::sync::Arc;

use eventstore::Store;
use practice::Practice;

use crate::app::invitation::Invitations;
use crate::picture::Pictures;

pub mod request;
pub mod invitation;
pub mod proof;
pub mod submit_review;
pub mod create_invitation;
pub mod check_badge;
pub mod delete_review;
pub mod restore_review;
pub mod erase_review;

/// What commands work with.
#[derive(Debug, Clone)]
pub struct App {
    /// The database.
    pub store: Store,
    /// The practice's own settings.
    pub practice: Practice,
    /// Creates and checks the invitation links of follow-up mails.
    pub invitations: Invitations,
    /// Uploads and serves pictures.
    pub pictures: Arc<Pictures>,
}
