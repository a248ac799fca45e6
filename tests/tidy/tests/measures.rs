//! Holds the measures of this checkout, which only fall.
use tidy::{code_lines, sizes, touch_counts, tree, tuples};

#[test]
fn one_thing_is_named_in_few_files() {
    let files = tree::files().unwrap();
    let faults = touch_counts::differences(&touch_counts::THINGS, &files);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn no_part_has_more_lines_than_its_bound() {
    let files = tree::files().unwrap();
    let file = files.iter().find(|file| file.path == sizes::FILE).unwrap();
    let lines = code_lines::count(&files);
    let found = sizes::compare(&file.text, lines).unwrap();
    println!("{lines:?}\n{}", found.lowerable.join("\n"));
    assert!(found.above.is_empty(), "\n{}\n", found.above.join("\n"));
}

#[test]
fn few_parameters_are_tuples_and_none_a_wide_one() {
    let taken = tuples::taken(&tree::files().unwrap());
    let wide: Vec<_> = taken.iter().filter(|(_, names)| *names > 2).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    assert_eq!(taken.len(), tuples::PARAMETERS, "lower the number, or name a type: {taken:#?}");
}
