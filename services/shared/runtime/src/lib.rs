//! What every process needs around its own work: settings, logs and traces, health, shutdown,
//! servers and channels, callers' tokens, error mapping and the practice's file.
//!
//! Nothing here knows a business rule. The modules stand in the order in which a process meets
//! them; `README.md` shows a whole service in one page.

pub mod program;
pub mod settings;
pub mod telemetry;
pub mod shutdown;
pub mod tasks;
pub mod failpoint;
pub mod practice;
pub mod health;
pub mod server;
pub mod channel;
pub mod http;
pub mod caller;
pub mod staff;
pub mod status;

pub use program::Program;
pub use settings::{Mode, Reader};
pub use shutdown::Shutdown;
pub use tasks::Tasks;

/// An error of any kind, as it is on its way to the log.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
