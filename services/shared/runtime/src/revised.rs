//! Files that are exchanged as a whole while a process runs: the practice's words, and its pages.
//!
//! The place is a folder, or a link to one, as `sukoon practice apply` makes it and a volume of a
//! ConfigMap is one. Where the link leads elsewhere, what was made of the files is made anew and
//! takes the place of the former at once. What changes inside of a folder is not noticed: half an
//! edit is no revision.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use tonic::service::Routes;
use tower::ServiceExt as _;

use crate::error::BoxError;
use crate::shutdown::Shutdown;
use crate::status;

/// How often the link is looked at.
const PERIOD: Duration = Duration::from_secs(1);

/// What is made of the files, in its newest revision that could be read.
#[derive(Debug)]
pub struct Revised<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    place: PathBuf,
    /// A file that every revision has.
    mark: &'static str,
    state: RwLock<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    folder: PathBuf,
    value: Arc<T>,
    /// Raised with each exchange.
    number: u64,
    /// Why the revision at the place is not used.
    refusal: Option<Refused>,
}

/// The revision at the place cannot be used, and the former one is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{revision} is not used: {reason}")]
pub struct Refused {
    /// The revision.
    pub revision: String,
    /// Why.
    pub reason: String,
}

impl<T> Clone for Revised<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Revised<T> {
    /// Makes it of the files that are at a place now; `mark` is a file that every revision has.
    ///
    /// # Errors
    /// What `make` says of the folder.
    pub fn open<E>(
        place: &Path,
        mark: &'static str,
        make: impl FnOnce(&Path) -> Result<Arc<T>, E>,
    ) -> Result<Self, E> {
        // Of a place that cannot be found `make` says so in its own words.
        let folder = resolve(place, mark).unwrap_or_else(|_missing| place.to_owned());
        let value = make(&folder)?;
        let state = RwLock::new(State { folder, value, number: 0, refusal: None });
        Ok(Self(Arc::new(Shared { place: place.to_owned(), mark, state })))
    }

    /// The newest. A decision by it keeps it until it is written.
    #[must_use]
    pub fn get(&self) -> Arc<T> {
        self.numbered().1
    }

    fn numbered(&self) -> (u64, Arc<T>) {
        let state = self.0.state.read().unwrap_or_else(PoisonError::into_inner);
        (state.number, Arc::clone(&state.value))
    }

    /// The folder of the revision in use.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.0.state.read().unwrap_or_else(PoisonError::into_inner).folder.clone()
    }

    /// The name of the revision in use.
    #[must_use]
    pub fn revision(&self) -> String {
        name_of(&self.folder())
    }

    /// Whether the revision at the place is the one in use.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(&self) -> Result<(), Refused> {
        let state = self.0.state.read().unwrap_or_else(PoisonError::into_inner);
        state.refusal.clone().map_or(Ok(()), Err)
    }

    /// Exchanges it when there is a new revision, until the shutdown signal is given. `make` is
    /// given the new folder and what is in use. Where it fails, that stays in use, and it is tried
    /// again.
    ///
    /// # Errors
    /// None: a revision that cannot be used stops nothing.
    pub async fn follow<F, E>(
        self,
        shutdown: Shutdown,
        make: impl Fn(PathBuf, Arc<T>) -> F + Send + 'static,
    ) -> Result<(), Infallible>
    where
        T: Send + Sync + 'static,
        F: Future<Output = Result<Arc<T>, E>> + Send,
        E: Into<BoxError> + Send,
    {
        loop {
            tokio::select! {
                () = shutdown.wait() => return Ok(()),
                () = tokio::time::sleep(PERIOD) => {}
            }
            let folder = match resolve(&self.0.place, self.0.mark) {
                Ok(folder) => folder,
                Err(error) => {
                    self.refuse(&self.0.place, &error.to_string());
                    continue;
                }
            };
            if self.settle(&folder) {
                continue;
            }
            match make(folder.clone(), self.get()).await.map_err(Into::into) {
                Ok(value) => self.exchange(folder, value),
                Err(error) => self.refuse(&folder, &status::chain(error.as_ref())),
            }
        }
    }

    /// Whether this folder is in use; then nothing is refused any more.
    fn settle(&self, folder: &Path) -> bool {
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        let is_in_use = state.folder == folder;
        if is_in_use {
            state.refusal = None;
        }
        is_in_use
    }

    fn exchange(&self, folder: PathBuf, value: Arc<T>) {
        tracing::info!(revision = name_of(&folder), "a new revision of the files is in use");
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        let number = state.number.saturating_add(1);
        *state = State { folder, value, number, refusal: None };
    }

    fn refuse(&self, folder: &Path, reason: &str) {
        let refusal = Refused { revision: name_of(folder), reason: reason.to_owned() };
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.refusal.as_ref() == Some(&refusal) {
            return;
        }
        let in_use = name_of(&state.folder);
        tracing::error!(
            revision = refusal.revision,
            in_use,
            error = reason,
            "a revision of the files cannot be used, and the former one is kept"
        );
        state.refusal = Some(refusal);
    }

    /// gRPC services that are made of it: a call is answered by one revision from its start to its
    /// end.
    pub fn routes(&self, make: impl Fn(Arc<T>) -> Routes + Send + Sync + 'static) -> Routes
    where
        T: Send + Sync + 'static,
    {
        let revised = self.clone();
        let made = Arc::new(RwLock::new(None::<(u64, Routes)>));
        let make = Arc::new(make);
        let service = tower::service_fn(move |request: Request| {
            let (number, value) = revised.numbered();
            let known = made.read().unwrap_or_else(PoisonError::into_inner).clone();
            let routes = known.filter(|(made_of, _)| *made_of == number).map(|(_, routes)| routes);
            let routes = routes.unwrap_or_else(|| {
                let routes = make(value).prepare();
                let mut made = made.write().unwrap_or_else(PoisonError::into_inner);
                *made = Some((number, routes.clone()));
                routes
            });
            routes.into_axum_router().oneshot(request)
        });
        Routes::from(Router::new().fallback_service(service))
    }
}

/// The folder in which the mark really is.
fn resolve(place: &Path, mark: &str) -> std::io::Result<PathBuf> {
    let mark = std::fs::canonicalize(place.join(mark))?;
    Ok(mark.parent().unwrap_or(place).to_owned())
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
