//! The figures of a server that no process tells: `sukoon look` leaves them in a file.
use super::series::{self, Sample};
use std::fs;

/// The setting that names the file.
pub(super) const SETTING: &str = "SUKOON_LOOK_FILE";
const JOB: &str = "machine";
/// How old the file is: it is written every two minutes.
const AGE: &str = "sukoon_machine_look_age_seconds";

/// Reads the file. One that is not there yet tells nothing.
pub(super) fn read(file: &str) -> Vec<Sample> {
    let Ok(text) = fs::read_to_string(file) else { return Vec::new() };
    let mut samples = series::read(JOB, &text);
    let written = fs::metadata(file).and_then(|found| found.modified()).ok();
    let age = written.and_then(|written| written.elapsed().ok());
    samples.extend(age.map(|age| Sample::of_job(AGE, JOB, age.as_secs_f64().floor())));
    samples
}
