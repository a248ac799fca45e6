//! How a command fails, in terms that every edge can translate.

use std::error::Error;
use std::fmt;

/// The family of a refusal; the edge maps it to a gRPC or Connect code of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request is wrong in itself.
    InvalidArgument,
    /// The request is valid, but not in the present state.
    FailedPrecondition,
    /// There is no such thing, or not for this caller.
    NotFound,
    /// The caller may not do this.
    PermissionDenied,
    /// The caller did not prove who they are.
    Unauthenticated,
    /// Another request was faster; trying again may work.
    Aborted,
    /// It exists already, in another form.
    AlreadyExists,
    /// A limit is reached.
    ResourceExhausted,
    /// A part is down; trying again later works.
    Unavailable,
}

/// A closed set of reasons for which a command is refused. Its `Display` is a sentence for people.
pub trait Reject: Error + Send + Sync + 'static {
    /// The family that it belongs to.
    fn code(&self) -> Code;
    /// A stable word for programs, for example `SLOT_TAKEN`.
    fn reason(&self) -> &'static str;
    /// The request's field that is wrong, as its path, if one field is.
    fn field(&self) -> Option<&'static str> {
        None
    }
}

/// What callers learn of a rejection; the macro `rejections!` writes it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Answer<'a> {
    pub code: Code,
    pub reason: &'static str,
    pub field: Option<&'static str>,
    pub text: fmt::Arguments<'a>,
}

/// A store cannot keep a value, such as a text with the character zero: the request is wrong, and
/// no part is down. It is one of an error's causes, and the edge turns it into a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a value cannot be stored")]
pub struct ValueRefused;

/// How a command can fail: by a decision, or by a fault below it.
#[derive(Debug, thiserror::Error)]
pub enum CommandError<R> {
    /// The aggregate refused.
    #[error("{0}")]
    Rejected(R),
    /// Other requests kept changing the same things; after three tries the caller is told to try
    /// again.
    #[error("another request changed this at the same moment")]
    Conflict,
    /// There is no such thing for this caller.
    #[error("there is no such thing")]
    NotFound,
    /// A needed part did not answer; the source is for the log and never for the caller.
    #[error("a part is not available")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
}

impl<R> CommandError<R> {
    /// Wraps the error of a part.
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unavailable(source.into())
    }
}
