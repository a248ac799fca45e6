//! The practice's offer, loaded from its files and validated as a whole before it is served.

mod section;
mod media;
mod about;
pub(crate) mod files;
mod blocks;
mod packages;
pub(crate) mod check;

use std::fs;
use std::path::Path;

use contract::catalogue::v1::{
    About, Faq, FaqGroup, Feature, Package, Practitioner, QuizArea, Service,
};
use contract::common::v1::Money;
use kernel::Currency;
use practice::Practice;
use toml::Table;

use crate::error::{InvalidContent, Problem};
use blocks::{SERVICES, once, price};
use media::media_url;
use packages::package;
use section::{Section, read_file};

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
    /// A first conversation that costs nothing.
    pub consultation: Option<Consultation>,
    /// The quiz.
    pub quiz_areas: Vec<QuizArea>,
    /// The FAQ page.
    pub faq_groups: Vec<FaqGroup>,
    /// The questions of the home page.
    pub quick_answers: Vec<Faq>,
    /// Who stands behind the practice.
    pub about: About,
}

/// A first conversation that costs nothing. It is booked like a service and is none of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Consultation {
    /// What is said of it, with a price of zero.
    pub service: Service,
    /// After how many days a client may have it again; 0 for once and no more.
    pub repeat_after_days: i32,
}

impl Content {
    /// Reads and checks the files in `folder`; names of practitioners are checked if
    /// `practice.toml` could be read.
    ///
    /// # Errors
    /// Everything that is missing, unknown or wrong in them.
    pub fn load(folder: &Path, practice: Option<&Practice>) -> Result<Self, InvalidContent> {
        let mut problems = Vec::new();
        let [services, quiz, faqs, about] =
            [SERVICES, QUIZ, FAQS, ABOUT].map(|file| parse(folder, file, &mut problems));
        let (services, packages, consultation) = services
            .map(|table| read_file(SERVICES, table, &mut problems, offer))
            .unwrap_or_default();
        let quiz_areas =
            quiz.map(|table| read_file(QUIZ, table, &mut problems, areas)).unwrap_or_default();
        let (faq_groups, quick_answers) =
            faqs.map(|table| read_file(FAQS, table, &mut problems, questions)).unwrap_or_default();
        let about = about
            .map(|table| read_file(ABOUT, table, &mut problems, about::about))
            .unwrap_or_default();
        let mut content =
            Self { services, packages, consultation, quiz_areas, faq_groups, quick_answers, about };
        content.check_names(&mut problems);
        let policies = practice.map(|practice| &practice.policies);
        let Self { packages, services, .. } = &mut content;
        packages::complete(packages, services, policies, &mut problems);
        if let Some(practice) = practice {
            content.name_practitioners(practice, &mut problems);
            content.name_widgets(practice);
        }
        if problems.is_empty() { Ok(content) } else { Err(InvalidContent { problems }) }
    }

    /// The service or the consultation of this id.
    #[must_use]
    pub fn service(&self, service_id: &str) -> Option<&Service> {
        let consultation = self.consultation.iter().map(|it| &it.service);
        self.services.iter().chain(consultation).find(|it| it.service_id == service_id)
    }

    /// The packages that are offered for a service.
    pub fn packages_for(&self, service_id: &str) -> impl Iterator<Item = &Package> {
        let offered =
            move |package: &&Package| package.service_ids.iter().any(|id| id == service_id);
        self.packages.iter().filter(offered)
    }

    /// The consultation, if this is its id.
    #[must_use]
    pub fn consultation_of(&self, service_id: &str) -> Option<&Consultation> {
        self.consultation.as_ref().filter(|it| it.service.service_id == service_id)
    }

    /// Replaces the ids of practitioners by those that give a service, in the practice's order: all
    /// where a service names none. Checks that the ids exist and that at least one gives it.
    fn name_practitioners(&mut self, practice: &Practice, problems: &mut Vec<Problem>) {
        let known = practice.all_practitioners();
        let all = practitioners(practice);
        let services = self.services.iter_mut().map(|it| {
            let key = format!("services.{}.practitioners", it.service_id);
            (key, it)
        });
        let key = "consultation.practitioners".to_owned();
        let consultation = self.consultation.iter_mut().map(|it| (key.clone(), &mut it.service));
        for (key, service) in services.chain(consultation) {
            let named = std::mem::take(&mut service.practitioners);
            let ids = named.iter().map(|one| one.practitioner_id.as_str());
            once(SERVICES, &key, ids.clone(), problems);
            for id in ids.filter(|id| known.iter().all(|one| one.id != *id)) {
                let reason = format!("names {id}, which is no practitioner in practice.toml");
                let ids = known.iter().map(|one| one.id.as_str());
                problems.push(Problem::new(SERVICES, &*key, reason).among(id, ids));
            }
            let gives = |one: &&Practitioner| {
                named.is_empty() || named.iter().any(|it| it.practitioner_id == one.practitioner_id)
            };
            service.practitioners = all.iter().filter(gives).cloned().collect();
            if service.practitioners.is_empty() && !all.is_empty() {
                let reason = "names only practitioners without sessions".to_owned();
                problems.push(Problem::new(SERVICES, key, reason));
            }
        }
    }

    /// Gives services the widgets in which their time is chosen. One of a service that is not
    /// offered any more is passed over.
    fn name_widgets(&mut self, practice: &Practice) {
        for widget in &practice.scheduling_widgets {
            let named = |it: &&mut Service| it.service_id == widget.service_id;
            if let Some(service) = self.services.iter_mut().find(named) {
                service.scheduling_url.clone_from(&widget.url);
            }
        }
    }

    /// Checks that ids are unique and that the quiz recommends existing services.
    fn check_names(&self, problems: &mut Vec<Problem>) {
        let consultation = self.consultation.iter().map(|it| &it.service);
        let services = self.services.iter().chain(consultation).map(|it| it.service_id.as_str());
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
                if self.services.iter().all(|service| service.service_id != *id) {
                    let reason = format!("names {id}, which {SERVICES} does not offer");
                    let known = self.services.iter().map(|service| service.service_id.as_str());
                    problems.push(Problem::new(QUIZ, &*key, reason).among(id, known));
                }
            }
        }
    }
}

/// The practitioners that give sessions, in wire form; none where the practice has one
/// practitioner.
#[must_use]
pub fn practitioners(practice: &Practice) -> Vec<Practitioner> {
    if !practice.has_several_practitioners() {
        return Vec::new();
    }
    let all = practice.all_practitioners().into_iter();
    let giving = all.filter(|one| !one.hours.weekdays.is_empty());
    giving.map(|one| Practitioner { practitioner_id: one.id, name: one.name }).collect()
}

fn parse(folder: &Path, file: &'static str, problems: &mut Vec<Problem>) -> Option<Table> {
    let whole_file = |reason: String| Problem::new(file, "", reason);
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

fn offer(file: &mut Section<'_>) -> (Vec<Service>, Vec<Package>, Option<Consultation>) {
    let services = file.blocks("services", "service_id", service);
    let packages = file.blocks("packages", "package_id", package);
    (services, packages, file.optional_inner("consultation", consultation))
}

/// A free consultation; its description is its whole text.
fn consultation(block: &mut Section<'_>) -> Consultation {
    let service = Service {
        service_id: block.id("service_id"),
        title: block.text("title", 80),
        description: block.text("description", 300),
        duration_text: block.text("duration_text", 40),
        duration_minutes: block.small_number("duration_minutes", 5, 60),
        price: Some(Money { minor_units: 0, currency_code: Currency::Inr.code().to_owned() }),
        accent: block.one_of("accent", &["leaf", "clay", "plum"]),
        practitioners: practitioner_ids(block),
        ..Service::default()
    };
    Consultation { service, repeat_after_days: block.small_number("repeat_after_days", 0, 3650) }
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
        practitioners: practitioner_ids(block),
        scheduling_url: String::new(),
    }
}

/// The ids of a service's practitioners, still without their names; none when all give it.
fn practitioner_ids(block: &mut Section<'_>) -> Vec<Practitioner> {
    let ids = block.optional_texts("practitioners").into_iter();
    ids.map(|practitioner_id| Practitioner { practitioner_id, name: String::new() }).collect()
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
