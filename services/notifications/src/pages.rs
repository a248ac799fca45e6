//! Templates and variables become a subject, a plain text and an HTML page.

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};
use mrml::prelude::render::RenderOptions;
use serde_json::Value as Json;

use crate::context::one_line;
use crate::mail::Kind;

/// What a mail says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its subject, on one line.
    pub subject: String,
    /// For mail programs that show no HTML.
    pub text: String,
    /// The page, with nothing to load from anywhere.
    pub html: String,
}

/// A mail could not be written. Its source may repeat what a person typed, so it is never logged.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A template is missing, malformed, or uses what it was not given.
    #[error("a template could not be used")]
    Template(#[from] minijinja::Error),
    /// The subjects cannot be read.
    #[error("subjects.toml cannot be read")]
    Subjects(#[from] toml::de::Error),
    /// What a template gave is not MJML.
    #[error("a template gave what is not MJML")]
    Parse(#[source] mrml::prelude::parser::Error),
    /// The MJML could not become HTML.
    #[error("a page could not be laid out")]
    Layout(#[source] mrml::prelude::render::Error),
}

macro_rules! templates {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../templates/", $name)))),*]
    };
}

static TEMPLATES: &[(&str, &str)] = templates! {
    "base.html" "base.txt"
    "booking_cancelled.html" "booking_cancelled.txt"
    "booking_confirmed.html" "booking_confirmed.txt"
    "cancellation_notice.html" "cancellation_notice.txt"
    "code.html"
    "confirm_address.html" "confirm_address.txt"
    "hold_ended.html" "hold_ended.txt"
    "meeting_link.html" "meeting_link.txt"
    "practice_notice.html" "practice_notice.txt"
    "recover_password.html" "recover_password.txt"
    "refund_done.html" "refund_done.txt"
    "refund_started.html" "refund_started.txt"
    "session_details.html" "session_details.txt"
};
static SUBJECTS: &str = include_str!("../templates/subjects.toml");

/// Every template, read once.
#[derive(Debug)]
pub struct Pages {
    environment: Environment<'static>,
}

impl Pages {
    /// Reads the templates.
    ///
    /// # Errors
    /// When one is malformed or a mail lacks one.
    pub fn new() -> Result<Self, PageError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        for (name, source) in TEMPLATES {
            environment.add_template(name, source)?;
        }
        let subjects: toml::Table = toml::from_str(SUBJECTS)?;
        for (name, subject) in &subjects {
            let source = subject.as_str().unwrap_or_default().to_owned();
            environment.add_template_owned(subject_name(name), source)?;
        }
        for kind in Kind::ALL {
            environment.get_template(&format!("{kind}.html"))?;
            environment.get_template(&format!("{kind}.txt"))?;
            environment.get_template(&subject_name(kind.name()))?;
        }
        Ok(Self { environment })
    }

    /// Writes a mail.
    ///
    /// # Errors
    /// When a template lacks a variable, or does not give a page.
    pub fn write(&self, kind: Kind, variables: &Json) -> Result<Page, PageError> {
        let variables = Value::from(Serde(variables));
        let render = |name: &str| self.environment.get_template(name)?.render(&variables);
        let mjml = render(&format!("{kind}.html"))?;
        Ok(Page {
            subject: one_line(&render(&subject_name(kind.name()))?),
            text: render(&format!("{kind}.txt"))?.trim().to_owned() + "\n",
            html: lay_out(&mjml)?,
        })
    }
}

/// The ending switches escaping off, as in the plain texts.
fn subject_name(kind: &str) -> String {
    format!("subject/{kind}.txt")
}

fn lay_out(mjml: &str) -> Result<String, PageError> {
    let parsed = mrml::parse(mjml).map_err(PageError::Parse)?;
    // Without a list of fonts it can make no link to a font service.
    let options = RenderOptions { fonts: Default::default(), ..RenderOptions::default() };
    let html = parsed.element.render(&options).map_err(PageError::Layout)?;
    // Escaping writes the slashes of links like this, and some mail servers distrust such links.
    Ok(html.replace("&#x2f;", "/"))
}

#[cfg(test)]
mod tests;
