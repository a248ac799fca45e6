//! Generates messages, clients and servers from `proto/`, without protoc.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost::Message as _;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new("../../../proto");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let descriptors = protox::compile(&files, [root])?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    // The same descriptors turn stored events into JSON and back at run time.
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    let mut config = tonic_prost_build::Config::new();
    config.enable_type_names();
    tonic_prost_build::configure().compile_fds_with_config(descriptors, config)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    Ok(())
}
