//! The consultation that costs nothing, beside the services.

use contract::catalogue::v1::{GetServiceRequest, ListServicesRequest, Service};

use crate::broken_files::Copy;
use crate::practice_dir;
use crate::serving::Running;

const ID: &str = "service_id = \"free-consultation\"";
const RAVI: &str = "[[practitioners]]\npractitioner_id = \"ravi\"\nname = \"Ravi Menon\"\n";

fn is_free(service: &Service) -> bool {
    service.price.as_ref().is_some_and(|price| price.minor_units == 0)
}

#[tokio::test]
async fn it_is_listed_beside_the_services_and_is_none_of_them() {
    let running = Running::with(&practice_dir()).await;
    let mut public = running.public();
    let listed = public.list_services(ListServicesRequest {}).await.unwrap().into_inner();
    let consultation = listed.consultation.unwrap();
    assert_eq!(consultation.service_id, "free-consultation");
    assert_eq!((consultation.duration_minutes, is_free(&consultation)), (15, true));
    assert_eq!(listed.services.len(), 7);
    assert!(listed.services.iter().all(|service| !is_free(service)));
    let asked = GetServiceRequest { service_id: consultation.service_id.clone() };
    let answer = public.get_service(asked).await.unwrap().into_inner();
    assert_eq!(answer.service, Some(consultation));
}

#[tokio::test]
async fn booking_learns_that_it_is_free_and_how_often() {
    let copy = Copy::new("often").replace(
        "services.toml",
        "repeat_after_days = 0",
        "repeat_after_days = 365",
    );
    let running = Running::with(&copy.folder).await;
    let offering = async |id| running.offering("booking", "catalogue", id).await.unwrap();
    let free = offering("free-consultation").await;
    assert_eq!((free.free, free.repeat_after_days), (true, 365));
    assert_eq!((free.duration_minutes, free.price.unwrap().minor_units), (15, 0));
    let paid = offering("meditation").await;
    assert_eq!((paid.free, paid.repeat_after_days), (false, 0));
}

#[tokio::test]
async fn a_practice_without_one_lists_none() {
    let copy = Copy::new("no_consultation");
    let file = copy.folder.join("services.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let (before, _) = text.split_once("[consultation]").unwrap();
    std::fs::write(&file, before).unwrap();
    let running = Running::with(&copy.folder).await;
    let listed = running.public().list_services(ListServicesRequest {}).await.unwrap();
    assert_eq!(listed.into_inner().consultation, None);
    let refused = running.offering("booking", "catalogue", "free-consultation").await;
    assert_eq!(refused.unwrap_err().code(), tonic::Code::NotFound);
}

#[tokio::test]
async fn it_can_be_one_practitioners() {
    let copy = Copy::new("consultation_by").and("practice.toml", RAVI).replace(
        "services.toml",
        ID,
        &format!("{ID}\npractitioners = [\"ravi\"]"),
    );
    let running = Running::with(&copy.folder).await;
    let offering = running.offering("booking", "catalogue", "free-consultation").await.unwrap();
    assert_eq!(offering.practitioner_ids, ["ravi"]);
}

#[test]
fn what_makes_no_free_consultation_is_refused() {
    let problems = |name: &str, from: &str, to: &str| {
        Copy::new(name).replace("services.toml", from, to).problems()
    };
    let key = "services.toml: consultation";
    assert_eq!(
        problems("free_price", ID, &format!("{ID}\nprice = 100")),
        [format!("{key}.price is not known here; is it spelt correctly?")]
    );
    assert_eq!(
        problems("free_length", "duration_minutes = 15", "duration_minutes = 90"),
        [format!("{key}.duration_minutes must be from 5 to 60")]
    );
    assert_eq!(
        problems("free_often", "repeat_after_days = 0", "repeat_after_days = -1"),
        [format!("{key}.repeat_after_days must be from 0 to 3650")]
    );
    assert_eq!(
        problems("free_id", ID, "service_id = \"meditation\""),
        ["services.toml: services has meditation more than once"]
    );
    assert_eq!(
        problems("free_by", ID, &format!("{ID}\npractitioners = [\"asha\"]")),
        [format!("{key}.practitioners names asha, which is no practitioner in practice.toml")]
    );
}
