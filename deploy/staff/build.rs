//! Lists how staff call each kind of mail, which its template says.

use std::error::Error;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::{env, fs};

/// The templates of the mails, beside the texts that they share.
const TEMPLATES: &str = "../../services/notifications/templates/en";
const SHARED: &str = "shared";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={TEMPLATES}");
    let mut kinds = Vec::new();
    for file in fs::read_dir(TEMPLATES)? {
        let path = file?.path();
        let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        if name == SHARED {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let first = text.lines().next().and_then(|line| line.strip_prefix("{# Staff: "));
        let label = first.and_then(|rest| rest.strip_suffix(" #}"));
        let label = label.ok_or_else(|| format!("{name} does not say how staff call it"))?;
        kinds.push(format!("({:?}, {label:?}),\n", name.to_uppercase()));
    }
    kinds.sort();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    Ok(fs::write(out.join("mail_kinds.rs"), format!("&[\n{}]\n", kinds.concat()))?)
}
