//! Names by numbers: a few texts that stand in a million rows.

use std::collections::BTreeMap;

/// Each text once, with its number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Names {
    /// The number of a text, which is given when it is first seen.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The text of a number.
    pub(crate) fn name(&self, number: u32) -> &str {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        self.names.get(index).map_or("", String::as_str)
    }
}
