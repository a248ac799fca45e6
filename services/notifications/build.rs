//! Lists the service's migrations, which are embedded in the program, and its mails.

use std::error::Error;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::{env, fs};

#[path = "../shared/eventstore/migration_list.rs"]
mod migration_list;

fn main() -> Result<(), Box<dyn Error>> {
    migration_list::write("../../migrations/notifications")?;
    write_kinds("src/mails/kinds")
}

/// Writes `kinds.rs` into the build's folder: a call of `kinds!` with the first sentence, the Rust
/// name and the stored name of each mail that has a file in the folder. Each module that needs a
/// list of the mails includes it, and says by a macro of that name what becomes of it.
fn write_kinds(folder: &str) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={folder}");
    let mut kinds = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default().to_owned();
        let text = fs::read_to_string(&path)?;
        let sentence = text.lines().next().and_then(|line| line.strip_prefix("//! "));
        let sentence = sentence.ok_or_else(|| format!("{name} does not say what it is"))?;
        let variant: String = name.split('_').map(capitalized).collect();
        kinds.push((name, format!("    #[doc = {sentence:?}]\n    {variant} ")));
    }
    kinds.sort();
    let list: String = kinds.iter().map(|(name, before)| format!("{before}{name}\n")).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    Ok(fs::write(out.join("kinds.rs"), format!("kinds! {{\n{list}}}\n"))?)
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
