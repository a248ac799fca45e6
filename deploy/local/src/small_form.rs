//! The small form of a practice: all services in one process, which is started again as a whole.
//! Each service has the settings that it would have as a process, in a file of its own.
use crate::process_specs::{METRICS, SERVICES_PROGRAM, SpecBuilder};
use crate::supervise::ProcessSpec;
use anyhow::{Context, Result};
use machine::inheritance::{self, JEMALLOC_CONF, MALLOC_CONF};
use machine::paths;
use machine::secrets;
use machine::settings;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The one process of these services, which it replaces.
pub(crate) fn process_spec(
    builder: &SpecBuilder<'_>,
    services: Vec<ProcessSpec>,
) -> Result<ProcessSpec> {
    let folder = builder.paths.data.join("secrets/services");
    let metrics = builder.internal_address("gateway", METRICS);
    let mut environment = inheritance::of(SERVICES_PROGRAM, builder.environment);
    for (name, value) in [
        ("LOG_FILTER", "info"),
        ("LOG_FORMAT", "text"),
        ("SUKOON_MODE", "development"),
        (MALLOC_CONF, JEMALLOC_CONF),
    ] {
        if !environment.iter().any(|(known, _value)| known == name) {
            environment.push((name.to_owned(), value.to_owned()));
        }
    }
    environment.push(("METRICS_LISTEN".to_owned(), metrics));
    let path = folder.to_str().context("the data folder's path is no text")?;
    environment.push(("SERVICES_SETTINGS".to_owned(), path.to_owned()));
    let parts = services.iter().map(|service| (service.name, builder.ports_of(service.name)));
    let program = builder.paths.programs.join(SERVICES_PROGRAM);
    Ok(ProcessSpec {
        arguments: vec!["serve".to_owned()],
        environment,
        parts: parts.collect(),
        before_start: Some(Arc::new(move || write(&folder, &services))),
        ..ProcessSpec::new(SERVICES_PROGRAM, program)
    })
}

/// Writes the settings of all services, as they are now.
fn write(folder: &Path, services: &[ProcessSpec]) -> Result<()> {
    paths::create_private(folder)?;
    for service in services {
        let mut pairs: BTreeMap<_, _> = service.environment.iter().cloned().collect();
        let current = service.current_settings.as_ref().map(|settings| settings()).transpose()?;
        for (name, value) in current.into_iter().flatten() {
            match value {
                Some(value) => drop(pairs.insert(name, value)),
                None => drop(pairs.remove(&name)),
            }
        }
        let text = settings::lines(&Vec::from_iter(pairs));
        let path = folder.join(format!("{}.env", service.name));
        if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            secrets::write_private(&path, text.as_bytes())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::supervise::ProcessSpec;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;
    use std::sync::Arc;

    #[test]
    fn each_service_has_a_file_that_is_written_anew_with_what_has_changed() {
        let folder = std::env::temp_dir().join(format!("sukoon-small-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let key = folder.join("key");
        let read = key.clone();
        let spec = ProcessSpec {
            environment: vec![
                ("NAME".to_owned(), "Dr. O'Brien".to_owned()),
                ("KEY".to_owned(), "as it was".to_owned()),
            ],
            current_settings: Some(Arc::new(move || {
                Ok(vec![("KEY".to_owned(), fs::read_to_string(&read).ok())])
            })),
            ..ProcessSpec::new("identity", PathBuf::new())
        };
        let file = folder.join("services/identity.env");
        let written = || {
            write(&folder.join("services"), std::slice::from_ref(&spec)).unwrap();
            fs::read_to_string(&file).unwrap()
        };
        assert_eq!(written(), "NAME='Dr. O'\\''Brien'\n");
        fs::write(&key, "new").unwrap();
        assert_eq!(written(), "KEY='new'\nNAME='Dr. O'\\''Brien'\n");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_dir_all(folder).unwrap();
    }
}
