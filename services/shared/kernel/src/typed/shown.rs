//! Mail addresses as people read them: an international domain in its own letters. Addresses are
//! stored and sent in their ASCII form; this is for pages, mails and commands only.
//!
//! A part of a domain keeps its ASCII form (`xn--…`) where its letters could pass for others: when
//! it mixes scripts, and when its script has letters that look like Latin ones and the domain does
//! not end in that script. The pages have the same rule (`web/src/lib/shown-address.ts`), with one
//! list of cases (`tests/shown_cases.json`).

/// How the ASCII form of an international part begins.
const MARK: &str = "xn--";
/// The longest part of a domain.
const LABEL_MAX: usize = 63;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    /// Its letters look like Latin ones.
    LikeLatin(u32),
    /// The scripts of Chinese and Japanese, which are written together.
    Han,
    Other(u32),
}

/// The address with its domain as people read it. A text that is no address stays as it is.
#[must_use]
pub fn shown_address(address: &str) -> String {
    let Some((local, domain)) = address.rsplit_once('@') else { return address.to_owned() };
    let last = domain.rsplit('.').next().and_then(|label| script_of(&decoded(label)?));
    let labels: Vec<String> = domain.split('.').map(|label| shown_label(label, last)).collect();
    format!("{local}@{}", labels.join("."))
}

fn shown_label(label: &str, last: Option<Script>) -> String {
    let read = || {
        let letters = decoded(label)?;
        let script = script_of(&letters)?;
        let is_safe = !matches!(script, Script::LikeLatin(_)) || last == Some(script);
        is_safe.then_some(letters)
    };
    read().unwrap_or_else(|| label.to_owned())
}

/// The letters of an international part; `None` for any other.
fn decoded(label: &str) -> Option<String> {
    let coded = label.strip_prefix(MARK).filter(|_| label.len() <= LABEL_MAX)?;
    let letters = punycode(coded)?;
    (!letters.is_ascii()).then_some(letters)
}

/// RFC 3492.
fn punycode(coded: &str) -> Option<String> {
    const BASE: u32 = 36;
    let (plain, digits) = coded.rsplit_once('-').unwrap_or(("", coded));
    let mut letters: Vec<char> = plain.chars().collect();
    let (mut code, mut index, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut left = digits.chars();
    while !left.as_str().is_empty() {
        let (before, mut weight, mut at) = (index, 1_u32, BASE);
        loop {
            let digit = match left.next()? {
                letter @ 'a'..='z' => u32::from(letter).checked_sub(u32::from('a'))?,
                figure @ '0'..='9' => {
                    u32::from(figure).checked_sub(u32::from('0'))?.checked_add(26)?
                }
                _ => return None,
            };
            index = index.checked_add(digit.checked_mul(weight)?)?;
            let threshold = at.saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE.checked_sub(threshold)?)?;
            at = at.checked_add(BASE)?;
        }
        let count = u32::try_from(letters.len()).ok()?.checked_add(1)?;
        bias = adapted(index.checked_sub(before)?, count, before == 0)?;
        code = code.checked_add(index.checked_div(count)?)?;
        index = index.checked_rem(count)?;
        letters.insert(usize::try_from(index).ok()?, char::from_u32(code)?);
        index = index.checked_add(1)?;
    }
    Some(letters.into_iter().collect())
}

fn adapted(delta: u32, count: u32, first: bool) -> Option<u32> {
    let delta = delta.checked_div(if first { 700 } else { 2 })?;
    let mut delta = delta.checked_add(delta.checked_div(count)?)?;
    let mut steps = 0_u32;
    while delta > 455 {
        delta = delta.checked_div(35)?;
        steps = steps.checked_add(36)?;
    }
    steps.checked_add(delta.checked_mul(36)?.checked_div(delta.checked_add(38)?)?)
}

/// The one script of all letters; `None` for several, for capitals, and for unknown letters.
fn script_of(letters: &str) -> Option<Script> {
    let mut found = None;
    for letter in letters.chars() {
        if letter.is_ascii_digit() || letter == '-' {
            continue;
        }
        let script = script(letter).filter(|_| letter.to_lowercase().eq([letter]))?;
        if found.is_some_and(|known| known != script) {
            return None;
        }
        found = Some(script);
    }
    found
}

fn script(letter: char) -> Option<Script> {
    Some(match u32::from(letter) {
        // Letters that pass for i, k, n or s.
        0x131 | 0x138 | 0x149 | 0x17f => return None,
        0x61..=0x7a | 0xdf..=0xf6 | 0xf8..=0x17e | 0x1e00..=0x1eff => Script::Latin,
        0x370..=0x3ff | 0x1f00..=0x1fff => Script::LikeLatin(0),
        0x400..=0x52f => Script::LikeLatin(1),
        0x531..=0x58f => Script::LikeLatin(2),
        0x10d0..=0x10ff => Script::LikeLatin(3),
        0x5d0..=0x5ea => Script::Other(0),
        0x620..=0x6ff | 0x750..=0x77f => Script::Other(1),
        0xe00..=0xe7f => Script::Other(2),
        0xac00..=0xd7a3 => Script::Other(3),
        // Scripts of India and Sri Lanka have blocks of one size.
        code @ 0x900..=0xdff => Script::Other(code / 0x80),
        0x3041..=0x3096 | 0x30a1..=0x30fa | 0x30fc | 0x3400..=0x4dbf | 0x4e00..=0x9fff => {
            Script::Han
        }
        _ => return None,
    })
}
