//! What adds an event to a state names every event: an arm for "all others" would take a new event
//! and do nothing with it, and the compiler would not say so.
use crate::tree::SourceFile;

/// How the functions are called that add an event to a state.
const ADDING: [&str; 2] = ["fn evolve(", "fn apply("];

/// Arms for all other events in the functions of a domain module that add an event to a state.
#[must_use]
pub fn swallowed_events(file: &SourceFile) -> Vec<String> {
    let mut faults = Vec::new();
    // How far the function is indented that is read.
    let mut indented: Option<usize> = None;
    for (at, line) in file.text.lines().enumerate() {
        let indent = line.len().saturating_sub(line.trim_start().len());
        if ADDING.iter().any(|name| line.contains(name)) {
            indented = Some(indent);
        } else if indented == Some(indent) && line.trim_end() == format!("{}}}", " ".repeat(indent))
        {
            indented = None;
        } else if indented.is_some() && takes_all(line.trim()) {
            let number = at.saturating_add(1);
            faults.push(format!("{}:{number} takes any event: name all of them", file.path));
        }
    }
    faults
}

/// Whether an arm takes any event in any state: `_`, or `(state, _)`. One for a named state may
/// take any event, and one that binds the event hands it on.
fn takes_all(line: &str) -> bool {
    let Some((pattern, _)) = line.split_once(" =>") else { return false };
    let pattern = pattern.split(" if ").next().unwrap_or_default().trim_start_matches("| ").trim();
    let inner = pattern.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(pattern);
    let is_any = |part: &str| part.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    inner.split(", ").all(is_any) && inner.rsplit(", ").next() == Some("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(name: &str, arm: &str) -> usize {
        let text = format!(
            "fn {name}(state: State, event: &Event) -> State {{\n    match (state, event) {{\n\
             (State::Absent, Event::Made {{ at }}) => State::There,\n{arm}\n    }}\n}}\n\n\
             fn decide(state: &State) {{\n    match state {{\n        _ => {{}}\n    }}\n}}\n"
        );
        swallowed_events(&SourceFile::sample("services/a/src/domain/b.rs", &text)).len()
    }

    #[test]
    fn an_arm_for_all_other_events_is_found() {
        for arm in ["(state, _) => state,", "_ => state,", "(_, _) => f(),", "_ if a => b,"] {
            assert_eq!(faults("evolve", arm), 1, "{arm}");
            assert_eq!(faults("apply", arm), 1, "{arm}");
            assert_eq!(faults("decide", arm), 0, "{arm}");
        }
    }

    #[test]
    fn an_arm_that_names_its_events_is_none() {
        for arm in [
            "(state, Event::Made { .. } | Event::Left) => state,",
            ") => state,",
            "(State::Absent, _) => State::Absent,",
            "(State::There(mut known), event) => apply(&mut known, event),",
            "Event::Made { at, .. } => state.at = *at,",
            "(State::There { .. }, Event::Left) => f(|_| 1),",
        ] {
            assert_eq!(faults("evolve", arm), 0, "{arm}");
        }
    }
}
