//! The surroundings of this service in a test: a mail server with an inbox, and the practice's
//! files.

use std::path::{Path, PathBuf};

use anyhow::Result;
use runtime::Shutdown;
use secrecy::SecretString;

/// Starts a mail server with an inbox; returns the URLs of the inbox and of SMTP.
pub(crate) async fn mail_server(
    folder: &Path,
    shutdown: &Shutdown,
) -> Result<(String, SecretString)> {
    let sandbox = sandbox::Sandbox::bind(sandbox::Settings::for_tests(folder, None)).await?;
    let sandbox_url = sandbox.url().to_owned();
    let smtp_url = SecretString::from(format!("smtp://{}", sandbox.smtp_addr()?));
    let stop = shutdown.wait();
    tokio::spawn(async move {
        tokio::select! {
            () = stop => {}
            served = sandbox.serve() => served.unwrap(),
        }
    });
    Ok((sandbox_url, smtp_url))
}

/// A copy of the local practice's files, with its own `practice.toml`.
pub(crate) fn practice_folder(room: &Path, change: impl FnOnce(&str) -> String) -> Result<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
    let folder = room.join("practice");
    std::fs::create_dir_all(&folder)?;
    for file in std::fs::read_dir(&source)? {
        let file = file?;
        if file.file_type()?.is_file() {
            std::fs::copy(file.path(), folder.join(file.file_name()))?;
        }
    }
    let file = folder.join("practice.toml");
    let text = change(&std::fs::read_to_string(&file)?);
    std::fs::write(file, text)?;
    Ok(folder)
}
