//! The payer's name, GSTIN and address on documents.

/// How long a GSTIN is: state, PAN, entity, a letter, check character.
const GSTIN_CHARS: usize = 15;
const NAME_CHARS_MAX: usize = 120;
const ADDRESS_CHARS_MAX: usize = 300;
/// The states and territories of India by the code that GSTINs begin with, and "97" for those
/// elsewhere in its waters.
const STATES: [&str; 38] = [
    "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "16",
    "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "29", "30", "31", "32", "33",
    "34", "35", "36", "37", "38", "97",
];

/// A payer as documents name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payer {
    /// A person's or a business's name, 1 to 120 characters.
    pub name: String,
    /// A GSTIN whose check character is right, or empty.
    pub gstin: String,
    /// On one line, 1 to 300 characters.
    pub address: String,
    /// The state's two digits, those of the GSTIN where there is one.
    pub state: String,
}

/// Why a payer's details are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PayerError {
    /// Empty, too long, or with characters that no name has.
    #[error("A name has 1 to 120 characters.")]
    Name,
    /// Not a GSTIN: its length, its characters, its state or its check character is wrong.
    #[error("This is not a GSTIN. Please compare it with your certificate, sign by sign.")]
    Gstin,
    /// Empty or too long.
    #[error("An address has 1 to 300 characters.")]
    Address,
    /// Not a state, or not the one of the GSTIN.
    #[error("Please choose the state of the address; with a GSTIN it is the GSTIN's state.")]
    State,
}

impl Payer {
    /// Normalizes typed text: white space becomes one blank; a GSTIN becomes capitals without
    /// blanks.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn parse(name: &str, gstin: &str, address: &str, state: &str) -> Result<Self, PayerError> {
        let name = on_one_line(name, NAME_CHARS_MAX).ok_or(PayerError::Name)?;
        let gstin = gstin.split_whitespace().collect::<String>().to_ascii_uppercase();
        if !gstin.is_empty() && !is_gstin(&gstin) {
            return Err(PayerError::Gstin);
        }
        let address = on_one_line(address, ADDRESS_CHARS_MAX).ok_or(PayerError::Address)?;
        let fits = state_of(&gstin).is_none_or(|of_gstin| of_gstin == state);
        if !STATES.contains(&state) || !fits {
            return Err(PayerError::State);
        }
        Ok(Self { name, gstin, address, state: state.to_owned() })
    }
}

/// The state's two digits that a GSTIN begins with; `None` of an empty one.
#[must_use]
pub fn state_of(gstin: &str) -> Option<&str> {
    gstin.get(..2)
}

/// A non-empty text on one line; `None` when it is empty, too long, or has control characters that
/// are not white space.
fn on_one_line(text: &str, chars_max: usize) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = (1..=chars_max).contains(&line.chars().count());
    (fits && !line.chars().any(char::is_control)).then_some(line)
}

/// Whether a text in capitals is a GSTIN: two digits of a state, a PAN, an entity, any sign, and
/// the check character over all before it (weights 1 and 2 in turn, to base 36).
fn is_gstin(text: &str) -> bool {
    let shape = "ddLLLLLddddLaaa";
    let fits = |(sign, want): (char, char)| match want {
        'd' => sign.is_ascii_digit(),
        'L' => sign.is_ascii_uppercase(),
        _ => sign.is_ascii_digit() || sign.is_ascii_uppercase(),
    };
    if text.len() != GSTIN_CHARS || !text.chars().zip(shape.chars()).all(fits) {
        return false;
    }
    let (body, check) = text.split_at(GSTIN_CHARS - 1);
    let sum: u32 = body
        .chars()
        .zip([1, 2].into_iter().cycle())
        .map(|(sign, weight)| {
            let product = sign.to_digit(36).unwrap_or_default() * weight;
            product / 36 + product % 36
        })
        .sum();
    let wanted = char::from_digit((36 - sum % 36) % 36, 36).map(|it| it.to_ascii_uppercase());
    STATES.contains(&&text[..2]) && check.chars().next() == wanted
}

#[cfg(test)]
mod tests {
    use super::{Payer, PayerError};

    fn parse(gstin: &str, state: &str) -> Result<Payer, PayerError> {
        Payer::parse("Asha Rao Traders", gstin, "12 MG Road, Indore", state)
    }

    #[test]
    fn a_gstin_is_right_to_its_check_character() {
        // Published ones of large companies.
        for (gstin, state) in [
            ("27AAPFU0939F1ZV", "27"),
            ("29AAGCB7383J1Z4", "29"),
            ("24AAACC1206D1ZM", "24"),
            (" 27 aapfu0939f 1zv ", "27"),
        ] {
            let payer = parse(gstin, state).unwrap();
            assert_eq!(payer.gstin, gstin.replace(' ', "").to_ascii_uppercase());
        }
        let wrong = [
            "27AAPFU0939F1ZU",
            "27AAPFU0939F1Z",
            "27AAPFU0939F1ZVV",
            "72AAPFU0939F1ZV",
            "2_AAPFU0939F1ZV",
            "27AAPFU0939F1Zé",
            "27APAFU0939F1ZV",
        ];
        for wrong in wrong {
            assert_eq!(parse(wrong, "27"), Err(PayerError::Gstin), "{wrong}");
        }
    }

    #[test]
    fn the_state_is_the_gstins() {
        assert_eq!(parse("27AAPFU0939F1ZV", "23"), Err(PayerError::State));
        for wrong in ["", "2", "28", "39", "MP", "023"] {
            assert_eq!(parse("", wrong), Err(PayerError::State), "{wrong}");
        }
        assert_eq!(parse("", "23").unwrap().state, "23");
    }

    #[test]
    fn name_and_address_are_one_line_with_something_in_it() {
        let payer = Payer::parse(" Asha\u{2003} Rao ", "", "12 MG Road\r\nIndore\t452001", "23");
        let payer = payer.unwrap();
        assert_eq!((payer.name.as_str(), payer.gstin.as_str()), ("Asha Rao", ""));
        assert_eq!(payer.address, "12 MG Road Indore 452001");
        for wrong in ["", " \n ", "a\0b", &"n".repeat(121)] {
            assert_eq!(Payer::parse(wrong, "", "here", "23"), Err(PayerError::Name), "{wrong:?}");
        }
        for wrong in ["", "\u{7f}", &"n".repeat(301)] {
            assert_eq!(
                Payer::parse("Asha", "", wrong, "23"),
                Err(PayerError::Address),
                "{wrong:?}"
            );
        }
        assert!(Payer::parse(&"न".repeat(120), "", &"र".repeat(300), "23").is_ok());
    }
}
