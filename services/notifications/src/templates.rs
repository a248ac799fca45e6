//! Renders templates and variables to a subject, a plain text and an HTML body.
//!
//! The text of a mail is written once, in `templates/<language>/<kind>.mail`. It is rendered twice:
//! with the macros of `parts.html` inside `frame.html`, which gives MJML, and with those of
//! `parts.txt` inside `frame.txt`. `templates/README.md` describes how to write it.

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};
use mrml::prelude::render::RenderOptions;
use serde_json::Value as Json;

use crate::mails::kind::Kind;
use crate::templates::template_context::one_line;

mod phone_numbers;
mod plain_text;
pub mod template_context;
pub mod render;

/// The language of all mails.
pub const LANGUAGE: &str = "en";

/// A rendered mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedMail {
    /// Its subject, on one line.
    pub subject: String,
    /// The plain text body.
    pub text: String,
    /// The HTML body, without external resources.
    pub html: String,
}

/// A mail could not be rendered. The source may repeat typed text, so it is never logged.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// A template is missing or malformed, or uses an undefined variable.
    #[error("a template could not be used")]
    Template(#[from] minijinja::Error),
    /// There are no templates in the language.
    #[error("there are no mails in the language {0}")]
    Language(String),
    /// A template's output is not MJML.
    #[error("a template gave what is not MJML")]
    Parse(#[source] mrml::prelude::parser::Error),
    /// The MJML could not be rendered to HTML.
    #[error("a page could not be laid out")]
    Layout(#[source] mrml::prelude::render::Error),
}

/// The templates of one language.
struct Language {
    /// Its code, which is the name of its folder and the HTML's language.
    code: &'static str,
    /// Each file's name without its extension, and its text.
    words: &'static [(&'static str, &'static str)],
}

macro_rules! language {
    ($code:literal: $($name:ident)*) => {
        Language {
            code: $code,
            words: &[$((
                stringify!($name),
                include_str!(concat!(
                    env!("CARGO_MANIFEST_DIR"), "/templates/", $code, "/", stringify!($name),
                    ".mail"
                )),
            )),*],
        }
    };
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:ident)*) => {
        /// Each language is a folder of the same files.
        static LANGUAGES: &[Language] = &[language! { "en": shared $($name)* }];
    };
}

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

/// The shared texts, as macros.
const SHARED: &str = "shared";

/// The two formats of a mail: the extension of its templates' names, its macros and its frame. The
/// extension `.html` switches on escaping.
const FORMATS: [(&str, &str, &str); 2] = [
    ("html", include_str!("../templates/parts.html"), include_str!("../templates/frame.html")),
    ("txt", include_str!("../templates/parts.txt"), include_str!("../templates/frame.txt")),
];

/// All templates, parsed once.
#[derive(Debug)]
pub struct Templates {
    environment: Environment<'static>,
}

impl Templates {
    /// Reads the templates in [`LANGUAGE`].
    ///
    /// # Errors
    /// When one is malformed or a mail lacks one.
    pub fn new() -> Result<Self, TemplateError> {
        Self::in_language(LANGUAGE)
    }

    /// Reads the templates in a language.
    ///
    /// # Errors
    /// When there is none in it, one is malformed or a mail lacks one.
    pub fn in_language(code: &str) -> Result<Self, TemplateError> {
        let language = LANGUAGES
            .iter()
            .find(|language| language.code == code)
            .ok_or_else(|| TemplateError::Language(code.to_owned()))?;
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.add_global("language", language.code);
        phone_numbers::register(&mut environment);
        plain_text::register(&mut environment);
        for (form, parts, frame) in FORMATS {
            let ui = format!("{{% import \"parts.{form}\" as ui %}}\n");
            let say = format!("{{% import \"{SHARED}.{form}\" as say %}}\n");
            environment.add_template_owned(format!("parts.{form}"), parts)?;
            environment.add_template_owned(format!("frame.{form}"), format!("{ui}{say}{frame}"))?;
            for (name, words) in language.words {
                let before = if *name == SHARED {
                    ui.clone()
                } else {
                    format!("{{% extends \"frame.{form}\" %}}\n{ui}{say}")
                };
                let source = format!("{before}{words}");
                environment.add_template_owned(format!("{name}.{form}"), source)?;
            }
            for kind in Kind::ALL {
                environment.get_template(&format!("{kind}.{form}"))?;
            }
        }
        Ok(Self { environment })
    }

    /// Renders a mail.
    ///
    /// # Errors
    /// When a template lacks a variable, or its output is not MJML.
    pub fn render(&self, kind: Kind, variables: &Json) -> Result<RenderedMail, TemplateError> {
        let variables = Value::from(Serde(variables));
        let mjml = self.environment.get_template(&format!("{kind}.html"))?.render(&variables)?;
        let text = self.environment.get_template(&format!("{kind}.txt"))?;
        let mut text = text.render_captured(&variables)?;
        let subject = text.with_state_mut(|state| state.render_block("subject"))?;
        Ok(RenderedMail {
            subject: one_line(&subject),
            text: plain_text::normalize(text.output()),
            html: mjml_to_html(&mjml)?,
        })
    }
}

fn mjml_to_html(mjml: &str) -> Result<String, TemplateError> {
    let parsed = mrml::parse(mjml).map_err(TemplateError::Parse)?;
    // Without fonts in the options, the output has no link to a font service.
    let options = RenderOptions { fonts: Default::default(), ..RenderOptions::default() };
    let html = parsed.element.render(&options).map_err(TemplateError::Layout)?;
    // Escaping encodes slashes in links, and some mail servers distrust such links.
    Ok(html.replace("&#x2f;", "/"))
}

#[cfg(test)]
mod tests;
