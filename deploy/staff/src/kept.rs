//! A session that stays between commands, so that a code is typed once and not for each of them: a
//! file that only its owner can read. It ends with the time for which staff calls accept a second
//! factor.
use crate::tokens::Tokens;
use anyhow::Result;
use machine::app_codes;
use machine::environment::Environment;
use machine::paths::create_private;
use machine::secrets::write_private;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Where a session is kept.
pub(crate) struct KeptSession {
    file: PathBuf,
}

impl KeptSession {
    /// That of the owner of a data folder.
    pub(crate) fn of_owner(data: &Path) -> Self {
        Self { file: data.join("secrets").join("staff-session.json") }
    }

    /// That of a person at a practice, among this user's own files; none where the user has no
    /// folder for them.
    pub(crate) fn of_person(environment: &Environment, url: &str, email: &str) -> Option<Self> {
        let state = environment.get("XDG_STATE_HOME").map(PathBuf::from);
        let home = || environment.get("HOME").map(|home| Path::new(home).join(".local/state"));
        let folder = state.or_else(home)?.join("sukoon");
        let digest = Sha256::digest(format!("{url}\n{email}").as_bytes());
        let name = kernel::hex::encode(digest);
        Some(Self { file: folder.join(format!("session-{}.json", name.get(..16)?)) })
    }

    /// Keeps other commands of the same person away until the result is dropped.
    pub(crate) fn lock(&self) -> Result<File> {
        if let Some(folder) = self.file.parent() {
            create_private(folder)?;
        }
        app_codes::lock(&self.file)
    }

    /// The session, if one is kept.
    pub(crate) fn read(&self) -> Option<Tokens> {
        serde_json::from_slice(&fs::read(&self.file).ok()?).ok()
    }

    /// Keeps this one.
    pub(crate) fn write(&self, tokens: &Tokens) -> Result<()> {
        write_private(&self.file, &serde_json::to_vec(tokens)?)
    }

    /// Keeps none.
    pub(crate) fn forget(&self) {
        // A file that stays is refused by the service, and a new session takes its place.
        drop(fs::remove_file(&self.file));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_session_is_kept_for_its_person_and_practice_and_closed_to_others() {
        let home = std::env::temp_dir().join(format!("sukoon-kept-{}", std::process::id()));
        let environment = Environment::from([("HOME", home.to_str().unwrap())]);
        let of = |url, email| KeptSession::of_person(&environment, url, email).unwrap();
        let mine = of("https://a.example", "asha@example.org");
        let held = mine.lock().unwrap();
        let tokens = Tokens { access_token: "one".to_owned(), ..Tokens::default() };
        mine.write(&tokens).unwrap();
        drop(held);
        assert_eq!(of("https://a.example", "asha@example.org").read(), Some(tokens));
        assert_eq!(of("https://b.example", "asha@example.org").read(), None);
        assert_eq!(of("https://a.example", "meera@example.org").read(), None);
        for (path, mode) in [(mine.file.as_path(), 0o600), (mine.file.parent().unwrap(), 0o700)] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, mode);
        }
        mine.forget();
        assert_eq!(mine.read(), None);
        fs::remove_dir_all(&home).unwrap();
        assert!(
            KeptSession::of_person(&Environment::default(), "https://a.example", "a").is_none()
        );
    }
}
