//! Holds the measures of this checkout, which only fall.
use tidy::{touch_counts, tree};

#[test]
fn one_thing_is_named_in_few_files() {
    let files = tree::files().unwrap();
    let faults = touch_counts::differences(&touch_counts::THINGS, &files);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}
