//! The authenticator app of this machine's owner: its secret lies in the data folder, readable only
//! by its owner, so that the commands on this machine show a second factor by themselves. It is
//! never printed or logged; its codes are.
use crate::clock;
use crate::secrets::write_private;
use anyhow::{Context, Result};
use data_encoding::BASE32_NOPAD;
use rand::Rng;
use ring::hmac::{self, HMAC_SHA1_FOR_LEGACY_USE_ONLY};
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Bytes of a secret, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
/// How long a code is shown.
const STEP_SECONDS: i64 = 30;

#[derive(Serialize, Deserialize)]
struct Stored {
    secret: String,
    /// The step of the newest code that was given out: a code is accepted once.
    last_step: i64,
}

/// The app of a data folder.
pub struct OwnerApp {
    file: PathBuf,
}

/// A code that was not given out before, or how many seconds to wait for one.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// The code.
    Code(String),
    /// None is left until then.
    Wait(u64),
}

impl OwnerApp {
    /// The app of this data folder, whether or not there is one.
    pub fn of(data: &Path) -> Self {
        Self { file: data.join("secrets").join("owner-app.json") }
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.file.is_file()
    }

    /// Where its secret is.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Its secret, as apps show it; created if it is missing.
    pub fn secret(&self) -> Result<String> {
        if self.exists() {
            return Ok(self.read()?.secret);
        }
        let secret = new_secret();
        self.write(&Stored { secret: secret.clone(), last_step: 0 })?;
        Ok(secret)
    }

    /// Forgets the secret.
    pub fn remove(&self) -> Result<()> {
        fs::remove_file(&self.file)
            .with_context(|| format!("{} cannot be removed", self.file.display()))
    }

    /// The next code at this time of the identity service. Codes of this step and of the one after
    /// it are accepted.
    pub fn next(&self, seconds: i64) -> Result<Next> {
        let _alone = lock(&self.file)?;
        let mut stored = self.read()?;
        let current = seconds.div_euclid(STEP_SECONDS);
        let Some(step) = (current..=current + 1).find(|step| *step > stored.last_step) else {
            // A clock that was put back waits no longer than a step at a time.
            let left = STEP_SECONDS - seconds.rem_euclid(STEP_SECONDS);
            return Ok(Next::Wait(u64::try_from(left).unwrap_or(1)));
        };
        let code = code(&stored.secret, step)?;
        stored.last_step = step;
        self.write(&stored)?;
        Ok(Next::Code(code))
    }

    fn read(&self) -> Result<Stored> {
        let text = fs::read(&self.file)
            .with_context(|| format!("{} cannot be read", self.file.display()))?;
        serde_json::from_slice(&text).with_context(|| {
            format!("{} is damaged; put back a copy of it, or remove it", self.file.display())
        })
    }

    fn write(&self, stored: &Stored) -> Result<()> {
        write_private(&self.file, &serde_json::to_vec(stored).context("no secret was made")?)
    }
}

/// Holds a file for one process until the result is dropped.
pub fn lock(file: &Path) -> Result<File> {
    let path = file.with_extension("lock");
    let open = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
    let held = open.with_context(|| format!("{} cannot be made", path.display()))?;
    rustix::fs::flock(&held, FlockOperation::LockExclusive)
        .with_context(|| format!("{} cannot be locked", path.display()))?;
    Ok(held)
}

/// The seconds since 1970 by this machine.
pub fn unix_seconds() -> i64 {
    i64::try_from(clock::now()).unwrap_or(i64::MAX)
}

/// A new secret, as apps show it.
pub fn new_secret() -> String {
    let mut bytes = [0; SECRET_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    BASE32_NOPAD.encode(&bytes)
}

/// Whether a code is right at this time, or was or will be for half a minute.
pub fn is_code(secret: &str, typed: &str, seconds: i64) -> Result<bool> {
    let current = seconds.div_euclid(STEP_SECONDS);
    for step in current - 1..=current + 1 {
        if code(secret, step)? == typed.trim() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The code of a time step (RFC 6238: SHA-1, six digits).
fn code(secret: &str, step: i64) -> Result<String> {
    let secret = BASE32_NOPAD.decode(secret.as_bytes()).context("the app's secret is damaged")?;
    let key = hmac::Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, &secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let mac = tag.as_ref();
    let offset = usize::from(mac.last().copied().unwrap_or_default() & 0x0f);
    let word = mac.iter().skip(offset).take(4).fold(0_u32, |n, byte| (n << 8) | u32::from(*byte));
    Ok(format!("{:06}", (word & 0x7fff_ffff) % 1_000_000))
}

/// The address that authenticator apps read.
pub fn uri(site: &str, account: &str, secret: &str) -> String {
    let label = |text: &str| text.replace([':', '?', '&', '#', '%', ' '], "_");
    let (site, account) = (label(site), label(account).replace('+', "%2B"));
    format!(
        "otpauth://totp/{site}:{account}?algorithm=SHA1&digits=6&issuer={site}&period=30\
         &secret={secret}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// "12345678901234567890", the secret of RFC 6238, appendix B.
    const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

    #[test]
    fn codes_are_those_of_the_standard() {
        for (seconds, digits) in [(59, "287082"), (1_111_111_109, "081804")] {
            assert_eq!(code(SECRET, seconds / 30).unwrap(), digits);
            for early in [-30, 0, 30] {
                assert!(is_code(SECRET, &format!("{digits}\n"), seconds + early).unwrap());
            }
            assert!(!is_code(SECRET, digits, seconds + 60).unwrap());
        }
    }

    #[test]
    fn no_code_is_given_out_twice_and_others_cannot_read_the_secret() {
        let data = std::env::temp_dir().join(format!("sukoon-app-{}", std::process::id()));
        fs::create_dir_all(data.join("secrets")).unwrap();
        let app = OwnerApp::of(&data);
        assert!(!app.exists());
        let secret = app.secret().unwrap();
        assert_eq!(app.secret().unwrap(), secret);
        let mode = fs::metadata(app.file()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let of_step = |step| Next::Code(code(&secret, step).unwrap());
        assert_eq!(app.next(3000).unwrap(), of_step(100));
        assert_eq!(app.next(3010).unwrap(), of_step(101));
        assert_eq!(app.next(3020).unwrap(), Next::Wait(10));
        assert_eq!(app.next(3030).unwrap(), of_step(102));
        app.remove().unwrap();
        assert!(!app.exists());
        fs::remove_dir_all(&data).unwrap();
    }

    #[test]
    fn apps_read_the_address() {
        assert_eq!(
            uri("book.example.org", "asha+1@example.org", SECRET),
            "otpauth://totp/book.example.org:asha%2B1@example.org?algorithm=SHA1&digits=6\
             &issuer=book.example.org&period=30&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        );
    }
}
