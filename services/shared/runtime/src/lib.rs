//! What every process needs around its own work: settings, logs and traces, health, shutdown,
//! servers and channels, callers' tokens and error mapping.
//!
//! Nothing here knows a business rule. The modules stand in the order in which a process meets
//! them; `README.md` shows a whole service in one page.

pub mod error;
pub mod settings;
pub mod telemetry;
pub mod metrics;
pub mod probe;
pub mod shutdown;
pub mod tasks;
pub mod failpoint;
pub mod scope;
pub mod health;
pub mod tls;
pub mod server;
pub mod caller;
pub mod channel;
pub mod ended_sessions;
mod crypto;
pub mod http;
pub mod status;
pub mod revised;
pub mod program;
mod together;

pub use error::BoxError;
pub use program::Program;
pub use revised::Revised;
pub use scope::spawn;
pub use settings::{Mode, Reader, RotatedSecret};
pub use shutdown::Shutdown;
pub use tasks::Tasks;
pub use tls::{Tls, TlsSettings};
pub use together::Together;
