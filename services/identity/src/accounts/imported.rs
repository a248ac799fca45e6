//! Password hashes that an administrator brings from another server.

use argon2::Params;
use argon2::password_hash::phc::PasswordHash;

/// The most that checking one password may cost: memory in KiB, passes, lanes.
const COST_MAX: (u32, u32, u32) = (65_536, 10, 4);
/// Maximum bytes of a hash.
const BYTES_MAX: usize = 512;

/// Whether it is an argon2 hash that this server can check, and that does not cost it too much.
#[must_use]
pub fn is_usable(hash: &str) -> bool {
    if hash.len() > BYTES_MAX {
        return false;
    }
    let Ok(parsed) = PasswordHash::new(hash) else { return false };
    let known = matches!(parsed.algorithm.as_str(), "argon2id" | "argon2i" | "argon2d");
    let cheap = Params::try_from(&parsed).is_ok_and(|cost| {
        cost.m_cost() <= COST_MAX.0 && cost.t_cost() <= COST_MAX.1 && cost.p_cost() <= COST_MAX.2
    });
    known && cheap && parsed.hash.is_some() && parsed.salt.is_some()
}

#[cfg(test)]
mod tests {
    use super::is_usable;

    const TAIL: &str = "c29tZXNhbHRzb21lc2FsdA$2tZsaGUrrYvnTeTmJKTVqTMcaTTWKGQqXsdNEnBBFoE";

    #[test]
    fn argon2_hashes_within_bounds_are_taken() {
        assert!(is_usable(&format!("$argon2id$v=19$m=19456,t=2,p=1${TAIL}")));
        for wrong in [
            format!("$argon2id$v=19$m=4194304,t=2,p=1${TAIL}"),
            format!("$argon2id$v=19$m=19456,t=5000,p=1${TAIL}"),
            "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA".to_owned(),
            "$2b$10$abcdefghijklmnopqrstuuN9Xb1oqkF5bC5s3xZyUj7oN0n4j3x0y".to_owned(),
            String::new(),
            "a quiet garden".to_owned(),
        ] {
            assert!(!is_usable(&wrong), "{wrong}");
        }
    }
}
