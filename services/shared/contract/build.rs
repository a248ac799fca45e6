//! Generates messages, clients and servers from `proto/`, and the table of calls with what they
//! declare of themselves, without protoc.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost::Message as _;
use protox::prost_reflect::{
    DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, ReflectMessage as _,
    Value,
};

/// The option of a call that has its own options.
const OPTION: &str = "common.v1.call";
/// The option of an event that names its readers.
const READ_BY: &str = "common.v1.read_by";

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new("../../../proto");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let mut compiler = protox::Compiler::new([root])?;
    compiler.include_source_info(true).include_imports(true).open_files(&files)?;
    let descriptors = compiler.file_descriptor_set();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    // The same descriptors turn stored events into JSON and back at run time.
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    fs::write(out.join("calls.rs"), calls(&compiler.descriptor_pool())?)?;
    fs::write(out.join("readers.rs"), readers(&compiler.descriptor_pool())?)?;
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

/// The events that name their readers, with these, sorted by name.
fn readers(pool: &DescriptorPool) -> Result<String, Box<dyn Error>> {
    let option = pool.get_extension_by_name(READ_BY).ok_or("events have no readers")?;
    let mut events = Vec::new();
    for message in pool.all_messages() {
        let options = message.options();
        let declared = options.get_extension(&option);
        let names = declared.as_list().unwrap_or_default().iter().filter_map(Value::as_str);
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            events.push(format!("({:?}, &{names:?})", message.full_name()));
        }
    }
    events.sort();
    Ok(format!("&[{}]", events.join(",\n")))
}

/// The table of all calls: a `Call` each, whose fields are named as the options.
fn calls(pool: &DescriptorPool) -> Result<String, Box<dyn Error>> {
    let option = pool.get_extension_by_name(OPTION).ok_or("calls have no options")?;
    let mut table = String::from("&[\n");
    for method in pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()) {
        let options = method.options();
        let options = options.get_extension(&option);
        let declared = options.as_message().ok_or("a call's options are a message")?;
        check(method.full_name(), declared)?;
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        write!(table, "Call {{ path: {path:?}")?;
        for field in declared.descriptor().fields() {
            write!(table, ", {}: {}", field.name(), value(declared, &field)?)?;
        }
        table.push_str(" },\n");
    }
    table.push_str("]\n");
    Ok(table)
}

/// Refuses a call that everybody could make by an omission, and a cache that would show one
/// person's response to another.
fn check(call: &str, declared: &DynamicMessage) -> Result<(), Box<dyn Error>> {
    let word = |name: &str| -> Result<String, Box<dyn Error>> {
        let field = declared.descriptor().get_field_by_name(name).ok_or("an option is missing")?;
        value(declared, &field)
    };
    let (access, cache) = (word("access")?, word("cache")?);
    if access == "Access::Unspecified" {
        return Err(format!(
            "{call} does not say who may make it. Write `option ({OPTION}).access = ACCESS_…;` \
             with a word of proto/common/v1/call_options.proto."
        )
        .into());
    }
    if cache != "Cache::Unspecified" && access != "Access::Public" {
        return Err(
            format!("{call} is not for everybody, so no cache may keep its response.").into()
        );
    }
    Ok(())
}

/// An option's value as Rust has it.
fn value(declared: &DynamicMessage, field: &FieldDescriptor) -> Result<String, Box<dyn Error>> {
    match (declared.get_field(field).as_ref(), field.kind()) {
        (Value::Bool(value), _) => Ok(value.to_string()),
        (Value::EnumNumber(number), Kind::Enum(words)) => variant(&words, *number),
        _ => Err(format!("{} has a type that no option had", field.full_name()).into()),
    }
}

/// An enum's value as `prost` names it: `ACCESS_SIGNED_IN` of `Access` is `Access::SignedIn`.
fn variant(words: &EnumDescriptor, number: i32) -> Result<String, Box<dyn Error>> {
    let word = words.get_value(number).ok_or("a number without a word")?;
    let pascal: String = word.name().split('_').map(capital).collect();
    let name = words.name();
    Ok(format!("{name}::{}", pascal.strip_prefix(name).unwrap_or(&pascal)))
}

fn capital(word: &str) -> String {
    let lower = word.to_lowercase();
    let mut letters = lower.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
