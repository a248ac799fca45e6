//! The user of this process, and the user that runs PostgreSQL, which refuses to run as root.
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The user that runs PostgreSQL when this process runs as root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseUser {
    /// The user's name, for error messages.
    pub name: String,
    /// The user's id.
    pub uid: u32,
    /// The id of the user's own group.
    pub gid: u32,
}

/// Whether this process runs as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The user that has to run PostgreSQL; none when that is the current one.
pub fn database_user() -> Result<Option<DatabaseUser>> {
    if !is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").context("/etc/passwd cannot be read")?;
    let found = ["postgres", "_postgres", "nobody"].iter().find_map(|name| find_user(&users, name));
    found.map(Some).context(
        "PostgreSQL refuses to run as root, and this machine has no user postgres or nobody \
         that could run it instead; start Sukoon as an ordinary user",
    )
}

/// A user of this machine by name.
pub fn named(name: &str) -> Result<DatabaseUser> {
    let users = fs::read_to_string("/etc/passwd").context("/etc/passwd cannot be read")?;
    find_user(&users, name).with_context(|| format!("this machine has no user {name}"))
}

fn find_user(users: &str, name: &str) -> Option<DatabaseUser> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() != Some(name) {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        Some(DatabaseUser { name: name.to_owned(), uid, gid })
    })
}

/// Makes the database user the owner of a folder or file. Does nothing without such a user.
pub fn change_owner(path: &Path, user: Option<&DatabaseUser>) -> Result<()> {
    let Some(user) = user else { return Ok(()) };
    std::os::unix::fs::chown(path, Some(user.uid), Some(user.gid))
        .with_context(|| format!("{} cannot be given to {}", path.display(), user.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_its_whole_name() {
        let users = "root:x:0:0::/root:/bin/sh\npostgresql:x:7:7::/:\npostgres:x:101:104:P,,:/x:\n";
        let found = find_user(users, "postgres").unwrap();
        assert_eq!((found.uid, found.gid), (101, 104));
        assert_eq!(find_user(users, "nobody"), None);
    }
}
