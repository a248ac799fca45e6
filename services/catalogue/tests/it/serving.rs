//! Requests over a real gRPC connection.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use catalogue::content::Content;
use contract::catalogue::v1::catalogue_internal_service_client::CatalogueInternalServiceClient;
use contract::catalogue::v1::catalogue_service_client::CatalogueServiceClient;
use contract::catalogue::v1::{
    GetConsentTermsRequest, GetMeditationGuideRequest, GetOfferingRequest, GetOfferingResponse,
    GetPracticeRequest, GetServiceRequest, ListFaqsRequest, ListQuizAreasRequest,
    ListServicesRequest,
};
use p256::SecretKey;
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use p256::pkcs8::{EncodePrivateKey as _, LineEnding};
use runtime::caller::{PeerSettings, Peers};
use runtime::server::Server;
use runtime::{Shutdown, channel, health, status};
use serde_json::{Value, json};
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::{PRACTICE_FILES, practice_dir};

/// The services of this test, each with its own key.
const SERVICES: [&str; 4] = ["booking", "catalogue", "notifications", "payments"];

fn key(service: &str) -> SecretKey {
    let index = SERVICES.iter().position(|known| *known == service).unwrap();
    SecretKey::from_slice(&[u8::try_from(index).unwrap() + 1; 32]).unwrap()
}

fn public_key(service: &str) -> Value {
    let point = key(service).public_key().to_encoded_point(false);
    let coordinate = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    json!({
        "kid": service, "kty": "EC", "crv": "P-256",
        "x": coordinate(point.x().unwrap()), "y": coordinate(point.y().unwrap()),
    })
}

pub(crate) fn peers(service: &'static str) -> Peers {
    let private_key = key(service).to_pkcs8_pem(LineEnding::LF).unwrap().to_string().into();
    let public_keys = json!({ "keys": SERVICES.map(public_key) }).to_string();
    Peers::new(service, &PeerSettings { private_key, public_keys }).unwrap()
}

/// A catalogue with the committed files, on its own port, until the value is dropped.
pub(crate) struct Running {
    url: String,
    shutdown: Shutdown,
}

impl Running {
    async fn start() -> Self {
        Self::with(&practice_dir()).await
    }

    /// The same with the files of a folder.
    pub(crate) async fn with(folder: &Path) -> Self {
        let shutdown = Shutdown::new();
        let routes = catalogue::routes(folder, peers("catalogue")).unwrap();
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), &shutdown).await.unwrap();
        let url = format!("http://{}", server.address().unwrap());
        tokio::spawn(server.serve(routes));
        Self { url, shutdown }
    }

    pub(crate) fn public(&self) -> CatalogueServiceClient<Channel> {
        CatalogueServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    /// Requests an offering as `caller`, with a token for `audience`.
    pub(crate) async fn offering(
        &self,
        caller: &'static str,
        audience: &'static str,
        service_id: &str,
    ) -> Result<GetOfferingResponse, Status> {
        let channel = channel::peer(&self.url, audience, &peers(caller)).unwrap();
        let request = GetOfferingRequest { service_id: service_id.to_owned() };
        let answer = CatalogueInternalServiceClient::new(channel).get_offering(request).await?;
        Ok(answer.into_inner())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shutdown.trigger();
    }
}

#[track_caller]
fn assert_refused(status: &Status, code: Code, reason: &str, field: &str) {
    let detail = status::detail_of(status).unwrap();
    let seen = (status.code(), detail.reason.as_str(), detail.field.as_str());
    assert_eq!(seen, (code, reason, field));
}

#[tokio::test]
async fn everything_is_listed_in_the_practices_own_order() {
    let running = Running::start().await;
    let mut client = running.public();
    let listed = client.list_services(ListServicesRequest {}).await.unwrap().into_inner();
    let ids: Vec<&str> = listed.services.iter().map(|s| s.service_id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "general-consultation",
            "energy-healing",
            "meditation",
            "vedic-astrology",
            "mental-health",
            "relationship-counseling",
            "karmic-healing"
        ]
    );
    assert_eq!(listed.packages[0].package_id, "starter");
    let quiz = client.list_quiz_areas(ListQuizAreasRequest {}).await.unwrap().into_inner();
    assert_eq!(quiz.areas.len(), 4);
    let faqs = client.list_faqs(ListFaqsRequest {}).await.unwrap().into_inner();
    assert_eq!((faqs.groups.len(), faqs.quick_answers.len()), (3, 4));
}

#[tokio::test]
async fn get_practice_has_name_and_contact() {
    let running = Running::start().await;
    let answer = running.public().get_practice(GetPracticeRequest {}).await.unwrap();
    let practice = answer.into_inner().practice.unwrap();
    assert_eq!(practice.name, "Sukoon");
    assert_eq!((practice.city.as_str(), practice.region.as_str()), ("Bhopal", "Madhya Pradesh"));
    assert_eq!(
        (practice.time_zone.as_str(), practice.time_zone_label.as_str()),
        ("Asia/Kolkata", "IST")
    );
    assert_eq!(practice.contact_hours, "Mon-Fri 9am-6pm");
    assert_eq!(practice.support_hours, "Monday to Saturday, 9:00 AM to 6:00 PM IST");
    assert_eq!((practice.cancellation_hours, practice.hold_minutes), (24, 15));
    assert_eq!(practice.refund_days_text, "5-7 business days");
    assert_eq!(practice.reply_days_text, "2-3 business days");
    assert!(practice.wellbeing_note.contains("not medical treatment"));
    assert!(practice.crisis_note.contains("14416"));
    assert_eq!(practice.review_services.len(), 6);
    assert_eq!(practice.review_services[0], "Meditation & Mindfulness");
    let figures: Vec<(&str, &str)> =
        practice.figures.iter().map(|f| (f.key.as_str(), f.value.as_str())).collect();
    for figure in [
        ("happy_clients", "200+"),
        ("years_experience", "15+"),
        ("average_rating", "4.9"),
        ("lives_transformed", "500+"),
        ("success", "95%"),
        ("recommend", "98%"),
    ] {
        assert!(figures.contains(&figure), "{figure:?}");
    }
    // The address for notices is not public.
    let all = format!("{practice:?}");
    assert!(!all.contains("bookings@"), "{all}");
}

#[tokio::test]
async fn get_practice_includes_the_founder() {
    let running = Running::start().await;
    let answer = running.public().get_practice(GetPracticeRequest {}).await.unwrap();
    let about = answer.into_inner().practice.unwrap().about.unwrap();
    assert_eq!(about, Content::load(&practice_dir(), None).unwrap().about);
}

#[tokio::test]
async fn the_meditation_guide_is_returned_whole() {
    let running = Running::start().await;
    let answer = running.public().get_meditation_guide(GetMeditationGuideRequest {}).await.unwrap();
    let guide = answer.into_inner().guide.unwrap();
    let written = practice::guide::load(&practice_dir()).unwrap();
    assert_eq!(guide.title, written.title);
    assert_eq!(guide.introduction, written.introduction);
    assert_eq!(guide.closing, written.closing);
    let steps = guide.steps.iter().map(|step| (&step.title, step.minutes, &step.paragraphs));
    let wanted = written.steps.iter().map(|step| (&step.title, step.minutes, &step.paragraphs));
    assert!(steps.eq(wanted), "{:?}", guide.steps);
    // The policies that the website states.
    assert_eq!((guide.steps.len(), guide.minutes), (5, 10));
}

#[tokio::test]
async fn the_terms_of_the_consent_are_returned_whole() {
    let running = Running::start().await;
    let answer = running.public().get_consent_terms(GetConsentTermsRequest {}).await.unwrap();
    let terms = answer.into_inner().terms.unwrap();
    let practice = practice::load(&practice_dir()).unwrap();
    let written = practice::consent::load(&practice_dir(), &practice).unwrap();
    assert_eq!(terms.version, written.version);
    assert_eq!(
        (terms.introduction, terms.declaration),
        (written.introduction, written.declaration)
    );
    let all = terms.terms.iter().map(|term| (&term.title, &term.paragraphs));
    assert!(all.eq(written.terms.iter().map(|term| (&term.title, &term.paragraphs))));
}

#[tokio::test]
async fn one_service_is_returned_whole_and_an_unknown_one_is_not_found() {
    let running = Running::start().await;
    let mut client = running.public();
    let known = GetServiceRequest { service_id: "karmic-healing".to_owned() };
    let service = client.get_service(known).await.unwrap().into_inner().service.unwrap();
    assert_eq!(service.price.unwrap().minor_units, 210_000);
    assert!(!service.disclaimer.is_empty() && !service.crisis_note);
    let known = GetServiceRequest { service_id: "mental-health".to_owned() };
    assert!(client.get_service(known).await.unwrap().into_inner().service.unwrap().crisis_note);
    for unknown in ["tarot", "Karmic-Healing", "karmic-healing ", "'; drop table services"] {
        let request = GetServiceRequest { service_id: unknown.to_owned() };
        let status = client.get_service(request).await.unwrap_err();
        assert_refused(&status, Code::NotFound, "SERVICE_NOT_FOUND", "service_id");
        assert_eq!(status.message(), "Service Not Found");
    }
    let status = client.get_service(GetServiceRequest::default()).await.unwrap_err();
    assert_refused(&status, Code::InvalidArgument, "SERVICE_ID_MISSING", "service_id");
    let endless = GetServiceRequest { service_id: "x".repeat(101) };
    let status = client.get_service(endless).await.unwrap_err();
    assert_refused(&status, Code::InvalidArgument, "SERVICE_ID_TOO_LONG", "service_id");
}

#[tokio::test]
async fn booking_and_notifications_get_price_and_length() {
    let running = Running::start().await;
    for caller in ["booking", "notifications"] {
        let offering = running.offering(caller, "catalogue", "energy-healing").await.unwrap();
        assert_eq!(offering.title, "Energy Healing");
        assert_eq!(offering.duration_minutes, 60);
        let price = offering.price.unwrap();
        assert_eq!((price.minor_units, price.currency_code.as_str()), (70_000, "INR"));
    }
    let status = running.offering("booking", "catalogue", "tarot").await.unwrap_err();
    assert_refused(&status, Code::NotFound, "SERVICE_NOT_FOUND", "service_id");
}

#[tokio::test]
async fn other_callers_may_not_get_an_offering() {
    let running = Running::start().await;
    let other = running.offering("payments", "catalogue", "meditation").await.unwrap_err();
    assert_refused(&other, Code::PermissionDenied, "CALLER_NOT_ALLOWED", "");
    let for_another = running.offering("booking", "payments", "meditation").await.unwrap_err();
    assert_refused(&for_another, Code::Unauthenticated, "CALLER_TOKEN_MISSING", "");
    let channel = channel::connect_lazy(&running.url).unwrap();
    let request = GetOfferingRequest { service_id: "meditation".to_owned() };
    let unsigned =
        CatalogueInternalServiceClient::new(channel).get_offering(request).await.unwrap_err();
    assert_refused(&unsigned, Code::Unauthenticated, "CALLER_TOKEN_MISSING", "");
}

#[tokio::test]
async fn it_is_ready_as_soon_as_it_has_read_its_files() {
    let running = Running::start().await;
    let probe = health::Probe::new(&running.url).unwrap();
    // The health service may take a second to run its first checks.
    testkit::until("it is ready", async || Ok(probe.check().await.is_ok().then_some(())))
        .await
        .unwrap();
}

#[test]
fn a_folder_without_files_is_refused_with_all_their_names() {
    let error = catalogue::routes(&practice_dir().join("nowhere"), peers("catalogue"));
    let message = error.err().unwrap().to_string();
    for file in PRACTICE_FILES {
        assert!(message.contains(file), "{message}");
    }
}
