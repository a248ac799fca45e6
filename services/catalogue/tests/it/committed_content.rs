//! The committed files of the practice have the expected services, prices and facts.

use catalogue::content::Content;
use contract::catalogue::v1::Service;
use kernel::Money;

use crate::practice_dir;

fn content() -> Content {
    let practice = practice::load(&practice_dir()).unwrap();
    Content::load(&practice_dir(), Some(&practice)).unwrap()
}

/// Id, title, length as text, reserved minutes, price and number of features.
const SERVICES: [&str; 7] = [
    "general-consultation | General Consultation | 45 minutes | 45 | ₹500 | 4",
    "energy-healing | Energy Healing | 45-60 minutes | 60 | ₹700 | 4",
    "meditation | Meditation & Mindfulness | 30-45 minutes | 45 | ₹750 | 4",
    "vedic-astrology | Vedic Astrology Solutions | 30 mins | 30 | ₹1,100 | 4",
    "mental-health | Mental Health Therapy | 50-60 minutes | 60 | ₹1,500 | 4",
    "relationship-counseling | Relationship Counseling | 60-75 minutes | 75 | ₹2,000 | 4",
    "karmic-healing | Karmic Healing | 60-90 minutes | 90 | ₹2,100 | 2",
];

#[test]
fn the_seven_services_have_their_prices_and_lengths() {
    let row = |service: &Service| {
        let Service { service_id, title, duration_text, duration_minutes, .. } = service;
        let (price, features) = (rupees(service.price.as_ref()), service.features.len());
        format!(
            "{service_id} | {title} | {duration_text} | {duration_minutes} | {price} | {features}"
        )
    };
    let rows: Vec<String> = content().services.iter().map(row).collect();
    assert_eq!(rows, SERVICES);
}

#[test]
fn only_karmic_healing_carries_a_notice_and_its_two_features() {
    for service in content().services {
        let karmic = service.service_id == "karmic-healing";
        assert_eq!(service.disclaimer.is_empty(), !karmic, "{}", service.service_id);
        if karmic {
            let names: Vec<&str> = service.features.iter().map(|f| f.name.as_str()).collect();
            assert_eq!(names, ["Akashic Records Reading", "Past Life Healing"]);
        }
    }
}

/// Visitors who look for help with grief, a low mood or fear also see a crisis line.
#[test]
fn heavy_days_lead_to_the_crisis_note() {
    let services = content().services;
    let carrying = services.iter().filter(|service| service.crisis_note);
    let ids: Vec<&str> = carrying.map(|service| service.service_id.as_str()).collect();
    assert_eq!(ids, ["general-consultation", "mental-health", "relationship-counseling"]);
}

/// A page shows the same text whether prerendered or fetched, so a paragraph is one line.
#[test]
fn paragraphs_are_separated_by_empty_lines_and_nothing_else() {
    for service in content().services {
        let paragraphs = service.detailed_description.split("\n\n").count();
        assert!(paragraphs >= 3, "{}", service.service_id);
        for paragraph in service.detailed_description.split("\n\n") {
            assert_eq!(paragraph.lines().count(), 1, "{}", service.service_id);
            assert_eq!(paragraph.trim(), paragraph, "{}", service.service_id);
        }
    }
}

/// Media files are served under their own names; a typing error there would only show as a player
/// without sound.
#[test]
fn every_clip_portrait_and_caption_lies_beside_the_files() {
    let content = content();
    let of_services = content.services.iter().flat_map(|it| [&it.video_url, &it.captions_url]);
    for url in of_services.chain([&content.about.portrait_url]) {
        let ours = url.strip_prefix("/media/");
        let exists = ours.is_none_or(|name| practice_dir().join("media").join(name).is_file());
        assert!(exists, "{url}");
    }
}

#[test]
fn the_founder_has_a_story_in_paragraphs_and_the_four_qualifications() {
    let about = content().about;
    assert!(about.story.len() >= 3, "{:?}", about.story);
    let texts = about.story.iter().chain([&about.introduction, &about.philosophy]);
    for text in texts {
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(*text, words.join(" "), "one line, single gaps");
    }
    let titles: Vec<&str> = about.qualifications.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["Certified Healer", "15+ Years", "500+ Clients", "Holistic Approach"]);
}

#[test]
fn the_starter_package_holds_three_sessions() {
    let packages = content().packages;
    assert_eq!(packages.len(), 1);
    assert_eq!(packages[0].package_id, "starter");
    assert_eq!(packages[0].title, "Starter Package");
    assert_eq!(packages[0].sessions, 3);
    assert_eq!(rupees(packages[0].price.as_ref()), "₹4,500");
    let dear = ["mental-health", "relationship-counseling", "karmic-healing"];
    assert_eq!(packages[0].service_ids, dear);
    assert_eq!((packages[0].within_days, packages[0].notice_hours), (60, 24));
}

#[test]
fn the_quiz_recommends_the_expected_services() {
    let areas = content().quiz_areas;
    let seen: Vec<(&str, &str, String)> = areas
        .iter()
        .map(|area| {
            let recommended = area.recommended_service_ids.join(" ");
            (area.area_id.as_str(), area.title.as_str(), recommended)
        })
        .collect();
    let wanted = [
        (
            "vedic-astrology",
            "Vedic Astrology & Life Path",
            "vedic-astrology general-consultation".to_owned(),
        ),
        (
            "relationship",
            "Relationship & Connection",
            "relationship-counseling general-consultation".to_owned(),
        ),
        (
            "energy",
            "Energy & Spiritual Healing",
            "energy-healing karmic-healing meditation".to_owned(),
        ),
        (
            "general",
            "General Mental Wellness",
            "mental-health general-consultation meditation".to_owned(),
        ),
    ];
    assert_eq!(seen, wanted);
}

#[test]
fn the_questions_have_their_groups_and_counts() {
    let content = content();
    let groups: Vec<(&str, usize)> =
        content.faq_groups.iter().map(|group| (group.title.as_str(), group.faqs.len())).collect();
    let wanted = [
        ("General Questions", 4),
        ("Booking & Practical Information", 5),
        ("Healing & Treatment Questions", 5),
    ];
    assert_eq!(groups, wanted);
    assert_eq!(content.quick_answers.len(), 4);
}

#[test]
fn the_answers_hold_the_expected_facts() {
    let all: String = content()
        .faq_groups
        .iter()
        .flat_map(|group| &group.faqs)
        .map(|faq| format!("{} {}\n", faq.question, faq.answer))
        .collect();
    for fact in [
        "50-60 minutes",
        "24 hours",
        "UPI, credit card, net banking or digital wallet",
        "online or in person",
        "3-4 sessions",
        "free 15-minute consultation",
        "14416",
    ] {
        assert!(all.contains(fact), "{fact}");
    }
}

fn rupees(price: Option<&contract::common::v1::Money>) -> String {
    let price: Money = contract::convert::money(price.unwrap()).unwrap();
    price.to_string()
}
