//! The payer's name, GSTIN and address on documents.

use kernel::typed::{self, Line, TextProblem};

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

kernel::rejections! {
    /// Why a payer's details are rejected.
    pub enum PayerError {
        Name(problem: TextProblem): InvalidArgument "INVALID_PAYER" @ "payer.name",
            "{said}", said = said_of("name", NAME_CHARS_MAX, *problem);
        // Its length, its characters, its state or its check character is wrong.
        Gstin: InvalidArgument "INVALID_PAYER" @ "payer.gstin",
            "This is not a GSTIN. Please compare it with your certificate, sign by sign.";
        Address(problem: TextProblem): InvalidArgument "INVALID_PAYER" @ "payer.address",
            "{said}", said = said_of("address", ADDRESS_CHARS_MAX, *problem);
        State: InvalidArgument "INVALID_PAYER" @ "payer.state_code",
            "Please choose the state of the address; with a GSTIN it is the GSTIN's state.";
    }
}

impl Payer {
    /// Reads typed text by the rule of all services; a GSTIN becomes capitals without blanks.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn parse(name: &str, gstin: &str, address: &str, state: &str) -> Result<Self, PayerError> {
        let name = line(name, NAME_CHARS_MAX).map_err(PayerError::Name)?;
        let gstin = typed::with_letters(gstin).to_ascii_uppercase();
        if !gstin.is_empty() && !is_gstin(&gstin) {
            return Err(PayerError::Gstin);
        }
        let address = line(address, ADDRESS_CHARS_MAX).map_err(PayerError::Address)?;
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

fn line(text: &str, chars_max: usize) -> Result<String, TextProblem> {
    Line::parse(text, chars_max).map(Line::into_string)
}

/// What is wrong with a line, in words.
fn said_of(what: &str, chars_max: usize, problem: TextProblem) -> String {
    match problem {
        TextProblem::Missing => format!("Please fill in the {what}."),
        TextProblem::Letterless => format!("Please write the {what} with a letter."),
        TextProblem::Control => format!("Please write the {what} without control characters."),
        TextProblem::TooLong => format!("Please keep the {what} to {chars_max} characters."),
    }
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
    use kernel::typed::TextProblem;

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
        // As a messenger pastes it, and as an Indian keyboard writes it.
        for typed in ["\u{202a}27-AAPFU-0939F\u{2011}1ZV\u{202c}", "२७AAPFU०९३९F१ZV"]
        {
            assert_eq!(parse(typed, "27").unwrap().gstin, "27AAPFU0939F1ZV");
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
        let (name, address) = ("n".repeat(121), "n".repeat(301));
        for (wrong, problem) in [
            ("", TextProblem::Missing),
            (" \n ", TextProblem::Missing),
            ("\u{3164}", TextProblem::Missing),
            ("a\0b", TextProblem::Control),
            ("\u{200b}12", TextProblem::Letterless),
        ] {
            let of_name = Payer::parse(wrong, "", "here", "23");
            assert_eq!(of_name, Err(PayerError::Name(problem)), "{wrong:?}");
            let of_address = Payer::parse("Asha", "", wrong, "23");
            assert_eq!(of_address, Err(PayerError::Address(problem)), "{wrong:?}");
        }
        let too_long = TextProblem::TooLong;
        let of_name = Payer::parse(&name, "", "here", "23");
        assert_eq!(of_name, Err(PayerError::Name(too_long)));
        let of_address = Payer::parse("Asha", "", &address, "23");
        assert_eq!(of_address, Err(PayerError::Address(too_long)));
        assert!(Payer::parse(&"न".repeat(120), "", &"र".repeat(300), "23").is_ok());
    }
}
