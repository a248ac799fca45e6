//! What each process is given, compared with what its program reads.
use super::{PROGRAMS, Ports, Settings, SpecBuilder};
use crate::options::{Form, Options};
use crate::supervise::ProcessSpec;
use machine::databases;
use machine::environment::Environment;
use machine::inheritance;
use machine::nats::{self, Broker, PRACTICE_FILE_STORE};
use machine::paths::Paths;
use machine::run_state::Addresses;
use machine::secrets::SecretStore;
use machine::tools::Tool;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The processes of a practice whose operator has set nothing.
fn specs(name: &str, environment: &Environment) -> Vec<ProcessSpec> {
    let data = std::env::temp_dir().join(format!("sukoon-{name}-{}", std::process::id()));
    let paths = Paths {
        checkout: PathBuf::from("/"),
        practice: PathBuf::from("/practice"),
        test_data: data.join("test"),
        packages: data.join("packages"),
        programs: data.join("programs"),
        data: data.clone(),
    };
    let url = |service: &str, role: &str| format!("postgres://{service}{role}@127.0.0.1/{service}");
    let addresses = databases::SERVICES.map(|service| {
        let addresses = Addresses {
            url: url(service, ""),
            migration_url: url(service, "_owner"),
            reader_url: url(service, "_reader"),
            admin_url: url(service, "_admin"),
        };
        (service.to_owned(), addresses)
    });
    let broker = Broker {
        tool: Tool { path: PathBuf::new(), libraries: None },
        folder: data.join("nats"),
        port: 4222,
        users: nats::test_users(),
        open: false,
        certificates: None,
        file_store: PRACTICE_FILE_STORE,
    };
    let options = Options::read(environment).unwrap();
    let builder = SpecBuilder {
        environment,
        paths: &paths,
        options: &options,
        ports: &Ports::new(),
        databases: &BTreeMap::from(addresses),
        broker: (options.form == Form::Many).then_some(&broker),
        certificates: None,
    };
    let mut store = SecretStore::open(&data.join("secrets")).unwrap();
    let mut specs: Vec<ProcessSpec> =
        PROGRAMS.iter().map(|name| builder.process_spec(name, &mut store).unwrap()).collect();
    // A secret's file is told as its value, so that both forms read the same.
    for setting in specs.iter_mut().flat_map(settings_mut) {
        if let Some(name) = setting.0.strip_suffix("_FILE").map(str::to_owned) {
            let mode = fs::metadata(&setting.1).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", setting.1);
            *setting = (name, fs::read_to_string(&setting.1).unwrap());
        }
    }
    fs::remove_dir_all(&data).unwrap();
    specs
}

fn settings_mut(spec: &mut ProcessSpec) -> impl Iterator<Item = &mut (String, String)> {
    spec.environment.iter_mut().chain(&mut spec.owner_settings)
}

#[test]
fn a_process_that_serves_does_not_know_its_databases_owner() {
    for spec in specs("owner", &Environment::default()) {
        let values = |spec: &ProcessSpec| {
            let values = spec.environment.iter().map(|(_name, value)| value.clone());
            values.filter(|value| value.contains("_owner@")).collect::<Vec<_>>()
        };
        assert!(values(&spec).is_empty(), "{} knows {:?}", spec.name, values(&spec));
        let has_database = databases::SERVICES.contains(&spec.name);
        assert_eq!(values(&spec.clone().into_owners()).len(), usize::from(has_database));
    }
}

/// The settings that a program reads when it serves, from the list that its own tests keep.
fn settings_of(program: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crate_folder =
        if program == "gateway" { root.join(program) } else { root.join("services").join(program) };
    let list = crate_folder.join("tests/it/snapshots/it__dumps__settings_of_serve.snap");
    let text = fs::read_to_string(list).unwrap();
    let (_head, lines) = text.split_once("\n---\n").unwrap();
    lines.lines().filter(|line| !line.starts_with(' ')).map(str::to_owned).collect()
}

#[test]
fn every_setting_that_a_program_reads_reaches_it() {
    for spec in specs("settings", &Environment::default()) {
        if spec.name == "sandbox" {
            continue;
        }
        let given: BTreeSet<&String> = spec.environment.iter().map(|(name, _value)| name).collect();
        let read = settings_of(spec.name);
        assert!(read.len() > 5, "{} reads only {read:?}", spec.name);
        let lost = read.iter().filter(|setting| {
            !given.contains(setting) && !inheritance::inherits(spec.name, setting)
        });
        assert_eq!(lost.collect::<Vec<_>>(), Vec::<&String>::new(), "{} lacks", spec.name);
    }
}

#[test]
fn what_an_operator_sets_does_not_override_what_has_to_fit_together() {
    let environment = Environment::from([
        ("BOOKING_DATABASE_URL", "postgres://elsewhere"),
        ("PAYMENT_CLAIM_POLICY", "accept"),
    ]);
    let specs = specs("fixed", &environment);
    let booking = specs.iter().find(|spec| spec.name == "booking").unwrap();
    let last: BTreeMap<&str, &str> =
        booking.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(last["BOOKING_DATABASE_URL"], "postgres://booking@127.0.0.1/booking");
    assert_eq!(last["PAYMENT_CLAIM_POLICY"], "accept");
}

#[test]
fn only_who_uses_nats_knows_its_address_and_each_has_a_user_of_its_own() {
    for spec in specs("nats", &Environment::default()) {
        let url = spec.environment.iter().find(|(name, _value)| name == "NATS_URL");
        let name = spec.name;
        let wanted = (!["sandbox", "catalogue", "gateway"].contains(&name))
            .then(|| format!("nats://{name}:{name}@127.0.0.1:4222"));
        assert_eq!(url.map(|(_name, value)| value.clone()), wanted, "{name}");
    }
}

#[test]
fn in_the_small_form_none_is_told_of_nats_and_each_has_two_connections() {
    for spec in specs("small-specs", &Environment::from([("FORM", "small")])) {
        let setting = |wanted: &str| spec.environment.iter().find(|(name, _value)| name == wanted);
        assert_eq!(setting("NATS_URL"), None, "{}", spec.name);
        if databases::SERVICES.contains(&spec.name) {
            let (_name, url) =
                setting(&format!("{}_DATABASE_URL", spec.name.to_uppercase())).unwrap();
            assert!(url.ends_with("?connection_limit=2"), "{url}");
        }
    }
}

#[test]
fn no_secret_stands_in_the_environment_of_our_services() {
    let data = std::env::temp_dir().join(format!("sukoon-words-{}", std::process::id()));
    let mut store = SecretStore::open(&data).unwrap();
    let mut settings = Settings {
        process: "booking",
        secrets: &mut store,
        secrets_at: None,
        pairs: vec![("BOOKING_FEED_KEY".to_owned(), "of the operator".to_owned())],
    };
    settings.set_word("BOOKING_FEED_KEY", "booking-feed-key").unwrap();
    let [(name, path)] = settings.pairs.as_slice() else { panic!("{:?}", settings.pairs) };
    assert_eq!(name, "BOOKING_FEED_KEY_FILE");
    assert_eq!(
        fs::read_to_string(path).unwrap(),
        settings.secrets.get("booking-feed-key").unwrap()
    );
    fs::remove_dir_all(&data).unwrap();
}
