//! Lists the migrations of a folder for `eventstore::embedded`; part of the build scripts of the
//! crates that embed some. sqlx's `migrate!` would make cargo compile sqlx and all that it uses
//! once more, for the compiler.

use std::error::Error;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::{env, fs};

/// Writes `migrations.rs` into the build's folder: version, rest of the name, and SQL of each file.
/// Cargo does so again when a file of the folder comes, goes or changes.
pub(crate) fn write(folder: &str) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={folder}");
    let mut list = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path().canonicalize()?;
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        // Other files than these are none of sqlx's either.
        let Some((version, rest)) = name.split_once('_').filter(|_| name.ends_with(".sql")) else {
            continue;
        };
        let version = version.parse::<i64>()?;
        list.push(format!("({version}, {rest:?}, include_str!({path:?})),\n"));
    }
    list.sort();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    Ok(fs::write(out.join("migrations.rs"), format!("&[\n{}]\n", list.concat()))?)
}
