//! Holds this checkout to the rules of security that a machine can keep.
use tidy::tree::{self, SourceFile};
use tidy::{asvs, hazards, inventory, reach, stored};

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

/// Code of pages, as it is in a browser.
fn is_page(file: &SourceFile) -> bool {
    let typescript = file.ends_with(".ts") || file.ends_with(".tsx");
    typescript && file.path.starts_with("web/src/") && !file.path.starts_with("web/src/gen/")
}

/// Code of what a network reaches, without what only tests use.
fn is_server(file: &SourceFile) -> bool {
    let serves = ["services/", "gateway/", "deploy/services/"];
    file.ends_with(".rs")
        && serves.iter().any(|folder| file.path.starts_with(folder))
        && !file.path.starts_with("services/shared/testkit/")
}

fn is_manifest(file: &SourceFile) -> bool {
    file.name() == "Cargo.toml"
}

#[test]
fn every_requirement_of_asvs_says_what_holds_it() {
    let files = tree::files().unwrap_or_default();
    let file = files.iter().find(|file| file.path == asvs::FILE).unwrap();
    let rows = asvs::rows(&file.text).unwrap();
    println!("{:?}", asvs::figures(&rows));
    assert_kept(&asvs::faults(&rows, &files));
}

#[test]
fn secrets_addresses_and_personal_tables_are_in_the_inventory() {
    assert_kept(&inventory::gaps(&tree::files().unwrap()));
}

fn stored_rows(files: &[SourceFile]) -> Vec<stored::Row> {
    let file = files.iter().find(|file| file.path == stored::FILE);
    let rows = stored::rows(file.map_or("", |file| file.text.as_str()));
    assert_kept(rows.as_ref().err().map_or(&[], Vec::as_slice));
    rows.unwrap_or_default()
}

#[test]
fn the_table_of_what_is_stored_has_all_that_the_code_keeps_and_nothing_else() {
    let files = tree::files().unwrap();
    assert_kept(&stored::differences(&files, &stored_rows(&files)));
}

/// With `INSTA_UPDATE=always` the part is written, as snapshots are.
#[test]
#[expect(clippy::disallowed_methods, reason = "a setting of tests, as insta reads it")]
fn the_inventory_has_what_the_table_of_what_is_stored_makes() {
    let files = tree::files().unwrap();
    let (written, made) = stored::inventory(&files, &stored_rows(&files)).unwrap();
    if written != made && std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(tree::root().join(inventory::FILE), &made).unwrap();
    } else {
        assert!(
            written == made,
            "{} is behind {}: run `INSTA_UPDATE=always cargo test -p tidy --test security`",
            inventory::FILE,
            stored::FILE
        );
    }
}

#[test]
fn the_table_of_who_may_reach_what_is_true() {
    let files = tree::files().unwrap();
    assert_kept(&reach::differences(&files));
    assert_kept(&reach::unheard(&files));
}

#[test]
fn no_text_becomes_code_in_a_browser() {
    hold(is_page, hazards::evaluated_text);
}

#[test]
fn no_server_makes_patterns_of_text() {
    hold(is_server, hazards::patterns);
}

#[test]
fn statements_are_literals() {
    hold(is_server, hazards::joined_sql);
}

#[test]
fn no_server_starts_a_shell_or_another_program() {
    hold(is_server, hazards::started_programs);
}

#[test]
fn cryptography_is_strong_and_from_known_crates() {
    hold(is_manifest, hazards::weak_cryptography);
}

#[test]
fn no_secret_comes_from_a_generator_that_can_be_foreseen() {
    hold(|file| is_page(file) || is_server(file), hazards::foreseen_numbers);
}

#[test]
fn no_interpreter_or_protocol_comes_in_unseen() {
    hold(|file| is_manifest(file) || file.path == "web/package.json", hazards::foreign_packages);
    hold(is_page, hazards::foreign_connections);
}

#[test]
fn nothing_that_others_can_find_out_proves_an_account() {
    let is_declared = |file: &SourceFile| file.ends_with(".proto") || file.ends_with(".sql");
    hold(|file| is_page(file) || is_server(file) || is_declared(file), hazards::weak_proofs);
}

#[test]
fn every_crate_forbids_unsafe_code() {
    hold(is_manifest, hazards::unsafe_crates);
}
