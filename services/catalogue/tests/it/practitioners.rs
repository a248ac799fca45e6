//! A practice in which several practitioners give sessions.

use contract::catalogue::v1::{GetPracticeRequest, ListServicesRequest, Practitioner, Service};

use crate::broken_files::Copy;
use crate::serving::Running;

/// The key of those that give meditation.
const MEDITATION: &str = "services.toml: services.meditation.practitioners";

const RAVI: &str = "[[practitioners]]\npractitioner_id = \"ravi\"\nname = \"Ravi Menon\"\n";

fn with_ravi(name: &str) -> Copy {
    Copy::new(name).and("practice.toml", RAVI)
}

/// Names the practitioners of meditation.
fn meditation_by(copy: Copy, practitioners: &str) -> Copy {
    let id = "service_id = \"meditation\"";
    copy.replace("services.toml", id, &format!("{id}\npractitioners = {practitioners}"))
}

fn names(all: &[Practitioner]) -> Vec<(&str, &str)> {
    all.iter().map(|one| (one.practitioner_id.as_str(), one.name.as_str())).collect()
}

fn meditation(services: &[Service]) -> &Service {
    services.iter().find(|service| service.service_id == "meditation").unwrap()
}

#[tokio::test]
async fn services_and_practice_name_their_practitioners() {
    let copy = meditation_by(with_ravi("practitioners"), "[\"ravi\", \"lead\"]");
    let copy = copy.replace(
        "services.toml",
        "service_id = \"energy-healing\"",
        "service_id = \"energy-healing\"\npractitioners = [\"ravi\"]",
    );
    let running = Running::with(&copy.folder).await;
    let both = [("lead", "Meera Joshi"), ("ravi", "Ravi Menon")];
    let practice = running.public().get_practice(GetPracticeRequest {}).await.unwrap();
    assert_eq!(names(&practice.into_inner().practice.unwrap().practitioners), both);
    let listed = running.public().list_services(ListServicesRequest {}).await.unwrap();
    for service in listed.into_inner().services {
        let wanted = if service.service_id == "energy-healing" { &both[1..] } else { &both[..] };
        assert_eq!(names(&service.practitioners), wanted, "{}", service.service_id);
    }
    let ids = async |service| {
        running.offering("booking", "catalogue", service).await.unwrap().practitioner_ids
    };
    assert_eq!(ids("meditation").await, ["lead", "ravi"]);
    assert_eq!(ids("energy-healing").await, ["ravi"]);
}

#[tokio::test]
async fn a_practice_of_one_names_no_practitioners() {
    let copy = meditation_by(Copy::new("alone"), "[\"lead\"]");
    let running = Running::with(&copy.folder).await;
    let practice = running.public().get_practice(GetPracticeRequest {}).await.unwrap();
    assert_eq!(names(&practice.into_inner().practice.unwrap().practitioners), []);
    let listed = running.public().list_services(ListServicesRequest {}).await.unwrap();
    assert_eq!(names(&meditation(&listed.into_inner().services).practitioners), []);
    let offering = running.offering("booking", "catalogue", "meditation").await.unwrap();
    assert_eq!(offering.practitioner_ids, Vec::<String>::new());
}

/// Their block stays until their last session is over.
#[tokio::test]
async fn a_practitioner_without_sessions_is_not_offered() {
    let copy = Copy::new("left").and("practice.toml", &format!("{RAVI}weekdays = []\n"));
    let running = Running::with(&copy.folder).await;
    let practice = running.public().get_practice(GetPracticeRequest {}).await.unwrap();
    let lead = [("lead", "Meera Joshi")];
    assert_eq!(names(&practice.into_inner().practice.unwrap().practitioners), lead);
    let offering = running.offering("booking", "catalogue", "meditation").await.unwrap();
    assert_eq!(offering.practitioner_ids, ["lead"]);
    let alone = Copy::new("left_alone").and("practice.toml", &format!("{RAVI}weekdays = []\n"));
    assert_eq!(
        meditation_by(alone, "[\"ravi\"]").problems(),
        [format!("{MEDITATION} names only practitioners without sessions")]
    );
}

#[test]
fn unknown_practitioners_are_refused() {
    let problems =
        |name: &str, practitioners: &str| meditation_by(with_ravi(name), practitioners).problems();
    assert_eq!(
        problems("unknown", "[\"ravi\", \"asha\"]"),
        [format!("{MEDITATION} names asha, which is no practitioner in practice.toml")]
    );
    assert_eq!(
        problems("twice", "[\"ravi\", \"ravi\"]"),
        [format!("{MEDITATION} has ravi more than once")]
    );
    assert_eq!(problems("none", "[]"), [format!("{MEDITATION} needs at least one entry")]);
    assert_eq!(
        problems("no_list", "\"ravi\""),
        [format!("{MEDITATION} must be a list of texts in quotation marks")]
    );
}
