//! The practice's offer, loaded from its files and validated as a whole before it is served.

mod section;
mod media;
mod about;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use contract::catalogue::v1::{About, Faq, FaqGroup, Feature, Package, QuizArea, Service};
use contract::common::v1::Money;
use kernel::Currency;
use toml::Table;

use crate::error::{InvalidContent, Problem};
use media::media_url;
use section::{Section, read_file};

const SERVICES: &str = "services.toml";
const QUIZ: &str = "quiz.toml";
const FAQS: &str = "faqs.toml";
const ABOUT: &str = "about.toml";

/// The practice's whole offer, in the files' order and in wire form.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// Kinds of sessions.
    pub services: Vec<Service>,
    /// Several sessions sold together.
    pub packages: Vec<Package>,
    /// The quiz.
    pub quiz_areas: Vec<QuizArea>,
    /// The FAQ page.
    pub faq_groups: Vec<FaqGroup>,
    /// The questions of the home page.
    pub quick_answers: Vec<Faq>,
    /// Who stands behind the practice.
    pub about: About,
}

impl Content {
    /// Reads and checks the files in `folder`.
    ///
    /// # Errors
    /// Everything that is missing, unknown or wrong in them.
    pub fn load(folder: &Path) -> Result<Self, InvalidContent> {
        let mut problems = Vec::new();
        let [services, quiz, faqs, about] =
            [SERVICES, QUIZ, FAQS, ABOUT].map(|file| parse(folder, file, &mut problems));
        let (services, packages) = services
            .map(|table| read_file(SERVICES, table, &mut problems, offer))
            .unwrap_or_default();
        let quiz_areas =
            quiz.map(|table| read_file(QUIZ, table, &mut problems, areas)).unwrap_or_default();
        let (faq_groups, quick_answers) =
            faqs.map(|table| read_file(FAQS, table, &mut problems, questions)).unwrap_or_default();
        let about = about
            .map(|table| read_file(ABOUT, table, &mut problems, about::about))
            .unwrap_or_default();
        let content = Self { services, packages, quiz_areas, faq_groups, quick_answers, about };
        content.check_names(&mut problems);
        if problems.is_empty() { Ok(content) } else { Err(InvalidContent { problems }) }
    }

    /// The service of this id.
    #[must_use]
    pub fn service(&self, service_id: &str) -> Option<&Service> {
        self.services.iter().find(|service| service.service_id == service_id)
    }

    /// Checks that ids are unique and that the quiz recommends existing services.
    fn check_names(&self, problems: &mut Vec<Problem>) {
        let services = self.services.iter().map(|service| service.service_id.as_str());
        let packages = self.packages.iter().map(|package| package.package_id.as_str());
        let areas = self.quiz_areas.iter().map(|area| area.area_id.as_str());
        once(SERVICES, "services", services, problems);
        once(SERVICES, "packages", packages, problems);
        once(QUIZ, "areas", areas, problems);
        if self.services.is_empty() {
            // services.toml could not be read; that is reported once, not for each name in it.
            return;
        }
        for area in &self.quiz_areas {
            let key = format!("areas.{}.recommended_service_ids", area.area_id);
            let ids = area.recommended_service_ids.iter().map(String::as_str);
            once(QUIZ, &key, ids, problems);
            for id in &area.recommended_service_ids {
                if self.service(id).is_none() {
                    let reason = format!("names {id}, which {SERVICES} does not offer");
                    problems.push(Problem { file: QUIZ, key: key.clone(), reason });
                }
            }
        }
    }
}

fn parse(folder: &Path, file: &'static str, problems: &mut Vec<Problem>) -> Option<Table> {
    let whole_file = |reason: String| Problem { file, key: String::new(), reason };
    let text = match fs::read_to_string(folder.join(file)) {
        Ok(text) => text,
        Err(error) => {
            problems.push(whole_file(format!("cannot be read: {error}")));
            return None;
        }
    };
    match text.parse::<Table>() {
        Ok(table) => Some(table),
        Err(error) => {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            problems.push(whole_file(format!("line {line}: {}", error.message())));
            None
        }
    }
}

fn once<'i>(
    file: &'static str,
    key: &str,
    ids: impl Iterator<Item = &'i str>,
    problems: &mut Vec<Problem>,
) {
    let mut seen = BTreeSet::new();
    for id in ids.filter(|id| !id.is_empty()) {
        if !seen.insert(id) {
            let reason = format!("has {id} more than once");
            problems.push(Problem { file, key: key.to_owned(), reason });
        }
    }
}

fn offer(file: &mut Section<'_>) -> (Vec<Service>, Vec<Package>) {
    let services = file.blocks("services", "service_id", service);
    (services, file.blocks("packages", "package_id", package))
}

fn service(block: &mut Section<'_>) -> Service {
    Service {
        service_id: block.id("service_id"),
        title: block.text("title", 80),
        description: block.text("description", 300),
        detailed_description: block.text("detailed_description", 8000),
        features: block.blocks("features", "", |block| Feature {
            name: block.text("name", 80),
            description: block.text("description", 300),
        }),
        duration_text: block.text("duration_text", 40),
        duration_minutes: block.small_number("duration_minutes", 5, 480),
        price: price(block),
        disclaimer: block.optional_text("disclaimer", 2000),
        video_url: media_url(block, "video_url"),
        captions_url: media_url(block, "captions_url"),
        accent: block.one_of("accent", &["leaf", "clay", "plum"]),
        crisis_note: block.optional_flag("crisis_note"),
    }
}

fn package(block: &mut Section<'_>) -> Package {
    Package {
        package_id: block.id("package_id"),
        title: block.text("title", 80),
        description: block.text("description", 300),
        sessions: block.small_number("sessions", 2, 20),
        price: price(block),
    }
}

/// Allowed prices, from one rupee to ten lakh; larger amounts are typing errors.
fn price(block: &mut Section<'_>) -> Option<Money> {
    block.inner("price", |price| {
        let currency_code = price.text("currency_code", 3);
        if !currency_code.is_empty() && Currency::from_code(&currency_code).is_none() {
            price.problem("currency_code", "must be INR");
        }
        Money { minor_units: price.number("minor_units", 100, 100_000_000), currency_code }
    })
}

fn areas(file: &mut Section<'_>) -> Vec<QuizArea> {
    file.blocks("areas", "area_id", |block| QuizArea {
        area_id: block.id("area_id"),
        title: block.text("title", 80),
        description: block.text("description", 300),
        accent: block.one_of("accent", &["leaf", "clay", "plum", "sun"]),
        recommended_service_ids: block.texts("recommended_service_ids"),
    })
}

fn questions(file: &mut Section<'_>) -> (Vec<FaqGroup>, Vec<Faq>) {
    let groups = file.blocks("groups", "", |block| FaqGroup {
        title: block.text("title", 80),
        faqs: block.blocks("faqs", "", question),
    });
    (groups, file.blocks("quick_answers", "", question))
}

fn question(block: &mut Section<'_>) -> Faq {
    Faq { question: block.text("question", 200), answer: block.text("answer", 2000) }
}
