//! Holds this checkout to the house rules.
use std::collections::BTreeSet;
use tidy::tree::{self, SourceFile};
use tidy::{
    boundaries, commits, imports, invariants, kept, layers, layout, migrations, readers, rust,
    text, web, wildcards, words,
};

#[track_caller]
fn assert_kept(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Applies a rule to each file that it is for.
#[track_caller]
fn hold(applies: impl Fn(&SourceFile) -> bool, rule: impl Fn(&SourceFile) -> Vec<String>) {
    let files = tree::files().unwrap_or_default();
    let meant: Vec<&SourceFile> = files.iter().filter(|file| applies(file)).collect();
    assert!(!meant.is_empty(), "the rule applies to no file");
    let faults: Vec<String> = meant.into_iter().flat_map(rule).collect();
    assert_kept(&faults);
}

fn is_rust(file: &SourceFile) -> bool {
    file.ends_with(".rs")
}

fn is_web(file: &SourceFile) -> bool {
    let typescript = file.ends_with(".ts") || file.ends_with(".tsx");
    typescript && !file.path.starts_with("web/src/gen/")
}

fn is_migration(file: &SourceFile) -> bool {
    file.path.starts_with("migrations/")
}

/// Lock files list the addresses that packages come from; the licence is not our text.
fn is_ours(file: &SourceFile) -> bool {
    !matches!(file.name(), "Cargo.lock" | "package-lock.json" | "LICENSE")
}

#[test]
fn rust_files_and_lines_have_a_limit() {
    hold(is_rust, rust::sizes);
}

#[test]
fn rust_files_say_what_they_are_for() {
    hold(is_rust, rust::header);
}

#[test]
fn rust_tests_run_and_wait_for_conditions() {
    hold(is_rust, rust::honest_tests);
}

#[test]
fn events_name_the_services_that_ask_for_them() {
    assert_kept(&readers::faults(&tree::files().unwrap_or_default()));
}

#[test]
fn lints_are_not_silenced() {
    hold(is_rust, rust::silenced_lints);
}

#[test]
fn modules_have_one_form() {
    hold(is_rust, layout::module_files);
}

#[test]
fn web_files_and_functions_have_a_limit() {
    hold(is_web, web::sizes);
}

#[test]
fn web_tests_run_and_types_hold() {
    hold(is_web, web::honesty);
}

#[test]
fn browser_tests_do_not_judge_by_chance() {
    hold(is_web, web::chances);
}

#[test]
fn web_tests_give_up_after_a_minute_at_the_earliest() {
    hold(is_web, web::patience);
}

#[test]
fn web_files_are_in_kebab_case() {
    hold(is_web, web::names);
}

#[test]
fn the_top_level_is_exactly_what_was_agreed() {
    assert_kept(&layout::top_level(&tree::top_level().unwrap()));
}

#[test]
fn names_say_something() {
    hold(|file| is_rust(file) || is_web(file), layout::empty_names);
}

#[test]
fn crates_depend_in_one_direction() {
    let crates = boundaries::crates(&tree::files().unwrap());
    assert!(crates.len() > 10, "the manifests were not found");
    assert_kept(&boundaries::crossings(&crates));
    assert_kept(&boundaries::unknown_shared(&crates));
}

#[test]
fn versions_are_the_workspace_s() {
    hold(|file| file.name() == "Cargo.toml" && file.path.contains('/'), boundaries::own_versions);
}

#[test]
fn migrations_have_names_that_order_and_tell() {
    hold(is_migration, migrations::names);
    let files = tree::files().unwrap();
    let all: Vec<&SourceFile> = files.iter().filter(|file| is_migration(file)).collect();
    assert_kept(&migrations::clashes(&all));
}

#[test]
fn data_of_earlier_releases_is_only_added_to() {
    assert_kept(&kept::changed("tests/system/kept").unwrap());
}

#[test]
fn tables_say_what_they_are_for() {
    hold(is_migration, migrations::commented_tables);
}

#[test]
fn nothing_belongs_to_one_machine() {
    hold(is_ours, text::machines);
}

#[test]
fn nothing_is_put_off() {
    hold(is_ours, text::put_off);
}

#[test]
fn modules_of_a_crate_use_each_other_in_one_direction() {
    let files = tree::files().unwrap();
    let mut faults = Vec::new();
    for one in boundaries::crates(&files) {
        let cycles = imports::cycles(&imports::graph(&one, &files));
        let names = |cycle: BTreeSet<String>| cycle.into_iter().collect::<Vec<_>>().join(", ");
        faults.extend(
            cycles.into_iter().map(|cycle| format!("{}: a cycle of {}", one.name, names(cycle))),
        );
    }
    assert_kept(&faults);
}

#[test]
fn a_service_is_wired_in_eighty_lines() {
    let is_wiring = |file: &SourceFile| {
        let parts: Vec<&str> = file.path.split('/').collect();
        matches!(parts.as_slice(), ["services", _, "src", "lib.rs"])
    };
    let long = |file: &SourceFile| (file.text.lines().count() > 80).then(|| file.path.clone());
    hold(is_wiring, |file| long(file).into_iter().collect());
}

#[test]
fn modules_of_a_service_use_their_own_layer_and_lower_ones() {
    let files = tree::files().unwrap();
    let crates = boundaries::crates(&files);
    let services: Vec<_> = crates.iter().filter(|one| one.is_service()).collect();
    assert_eq!(services.len(), 6, "the services were not found");
    let faults = services.into_iter().flat_map(|one| {
        let edges = layers::upward_edges(&imports::graph(one, &files));
        edges.into_iter().map(|edge| format!("{}: {edge}", one.name))
    });
    assert_kept(&faults.collect::<Vec<_>>());
}

#[test]
fn modules_of_the_gateway_use_those_that_a_request_meets_later() {
    let files = tree::files().unwrap();
    let crates = boundaries::crates(&files);
    let gateway = crates.iter().find(|one| one.name == "gateway").unwrap();
    let lib = files.iter().find(|file| file.path == "gateway/src/lib.rs").unwrap();
    assert_kept(&layers::backward_edges(&imports::graph(gateway, &files), &lib.text));
}

#[test]
fn modules_of_the_benchmarks_use_those_that_are_read_before() {
    let files = tree::files().unwrap();
    let crates = boundaries::crates(&files);
    let load = crates.iter().find(|one| one.name == "load").unwrap();
    let lib = files.iter().find(|file| file.path == "tests/load/src/lib.rs").unwrap();
    assert_kept(&layers::forward_edges(&imports::graph(load, &files), &lib.text));
}

#[test]
fn sql_stands_in_repositories_read_models_and_retention() {
    let is_of_a_service = |file: &SourceFile| {
        is_rust(file)
            && file.path.starts_with("services/")
            && !file.path.starts_with("services/shared/")
            && !file.is_test()
    };
    hold(is_of_a_service, layers::misplaced_sql);
}

#[test]
fn each_promise_is_held_by_a_test_that_is_there() {
    assert_kept(&invariants::faults(&tree::files().unwrap()));
}

#[test]
fn no_event_is_swallowed() {
    let is_domain =
        |file: &SourceFile| is_rust(file) && file.path.contains("/src/domain/") && !file.is_test();
    hold(is_domain, wildcards::swallowed_events);
}

#[test]
fn comments_have_plain_subjects() {
    hold(|file| is_rust(file) || is_web(file), words::subjects);
}

#[test]
fn types_have_the_fields_names() {
    let is_no_test = |file: &SourceFile| !file.is_test() || file.is_of_test_library();
    hold(|file| is_rust(file) && is_no_test(file), words::names);
}

#[test]
fn commits_have_a_subject_a_reason_and_a_size() {
    let commits = commits::since_the_rules().unwrap();
    assert_kept(&commits.iter().flat_map(commits::faults).collect::<Vec<_>>());
}
