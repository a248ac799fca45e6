//! Which characters a person sees, and which are dropped.

/// Whether a text has nothing that can be seen.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    !text.chars().any(shows)
}

/// Whether a character can be seen.
pub(super) fn shows(c: char) -> bool {
    !(c.is_whitespace() || c.is_control() || is_dropped(c) || is_of_text(c) || is_without_ink(c))
}

/// Marks that are dropped: those that turn the direction of the text around them, those without
/// width and meaning, the placeholder of a picture that was not pasted, and code points that are no
/// characters.
pub(super) const fn is_dropped(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffc}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Marks that a text of several lines may need, for directions and flags; a line needs none.
pub(super) const fn is_of_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{e0000}'..='\u{e007f}')
}

/// Characters that stay where they are, and cannot be seen by themselves: joiners, fillers,
/// selectors, and marks of old scripts, of shorthand and of music.
const fn is_without_ink(c: char) -> bool {
    matches!(
        c,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200c}' | '\u{200d}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}' | '\u{13430}'..='\u{1343f}' | '\u{16fe4}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0080}'..='\u{e0fff}'
    )
}
