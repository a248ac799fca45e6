//! The catalogue's two gRPC services. The only file that names request and response types.

use std::sync::Arc;

use contract::catalogue::v1::catalogue_internal_service_server::{
    CatalogueInternalService, CatalogueInternalServiceServer,
};
use contract::catalogue::v1::catalogue_service_server::{CatalogueService, CatalogueServiceServer};
use contract::catalogue::v1::{
    About, ConsentTerm, ConsentTerms, Figure, GetConsentTermsRequest, GetConsentTermsResponse,
    GetMeditationGuideRequest, GetMeditationGuideResponse, GetOfferingRequest, GetOfferingResponse,
    GetPracticeRequest, GetPracticeResponse, GetServiceRequest, GetServiceResponse,
    ListFaqsRequest, ListFaqsResponse, ListQuizAreasRequest, ListQuizAreasResponse,
    ListServicesRequest, ListServicesResponse, MeditationGuide, MeditationStep, Practice, Service,
};
use practice::consent;
use practice::guide::Guide;
use runtime::caller::Peers;
use runtime::server::REQUEST_BYTES_MAX;
use runtime::status;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::content::files::Files;
use crate::content::{Content, practitioners};

/// The services that may call `GetOffering`.
const OFFERING_CALLERS: &[&str] = &["booking", "notifications"];
/// The maximum length of a service id, in bytes.
const SERVICE_ID_BYTES_MAX: usize = 100;

/// Both gRPC services, on the same content.
pub(crate) fn routes(files: Files, peers: Peers) -> Routes {
    let Files { practice, content, guide, consent } = files;
    let (practice, guide) = (to_wire(&practice, &content.about), guide_to_wire(&guide));
    let consent = consent_to_wire(consent);
    let catalogue =
        Catalogue { inner: Arc::new(Inner { practice, guide, consent, content, peers }) };
    let public = CatalogueServiceServer::new(catalogue.clone());
    let internal = CatalogueInternalServiceServer::new(catalogue);
    Routes::new(public.max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(internal.max_decoding_message_size(REQUEST_BYTES_MAX))
}

#[derive(Clone)]
struct Catalogue {
    inner: Arc<Inner>,
}

struct Inner {
    practice: Practice,
    guide: MeditationGuide,
    consent: ConsentTerms,
    content: Content,
    peers: Peers,
}

kernel::rejections! {
    /// Why a request for a service is rejected.
    enum Rejection {
        IdMissing: InvalidArgument "SERVICE_ID_MISSING" @ "service_id",
            "Please say which service you mean.";
        IdTooLong: InvalidArgument "SERVICE_ID_TOO_LONG" @ "service_id",
            "This is not the id of a service.";
        Unknown: NotFound "SERVICE_NOT_FOUND" @ "service_id", "Service Not Found";
    }
}

impl Inner {
    fn service(&self, service_id: &str) -> Result<&Service, Rejection> {
        if service_id.is_empty() {
            return Err(Rejection::IdMissing);
        }
        if service_id.len() > SERVICE_ID_BYTES_MAX {
            return Err(Rejection::IdTooLong);
        }
        self.content.service(service_id).ok_or(Rejection::Unknown)
    }
}

#[tonic::async_trait]
impl CatalogueService for Catalogue {
    async fn get_practice(
        &self,
        _request: Request<GetPracticeRequest>,
    ) -> Result<Response<GetPracticeResponse>, Status> {
        let practice = Some(self.inner.practice.clone());
        Ok(Response::new(GetPracticeResponse { practice }))
    }

    async fn list_services(
        &self,
        _request: Request<ListServicesRequest>,
    ) -> Result<Response<ListServicesResponse>, Status> {
        let Content { services, packages, consultation, .. } = &self.inner.content;
        let (services, packages) = (services.clone(), packages.clone());
        let consultation = consultation.as_ref().map(|it| it.service.clone());
        Ok(Response::new(ListServicesResponse { services, packages, consultation }))
    }

    async fn get_service(
        &self,
        request: Request<GetServiceRequest>,
    ) -> Result<Response<GetServiceResponse>, Status> {
        let service = self.inner.service(&request.get_ref().service_id);
        let service = service.map_err(|rejection| status::reject(&rejection))?.clone();
        Ok(Response::new(GetServiceResponse { service: Some(service) }))
    }

    async fn list_quiz_areas(
        &self,
        _request: Request<ListQuizAreasRequest>,
    ) -> Result<Response<ListQuizAreasResponse>, Status> {
        let areas = self.inner.content.quiz_areas.clone();
        Ok(Response::new(ListQuizAreasResponse { areas }))
    }

    async fn list_faqs(
        &self,
        _request: Request<ListFaqsRequest>,
    ) -> Result<Response<ListFaqsResponse>, Status> {
        let Content { faq_groups, quick_answers, .. } = &self.inner.content;
        let (groups, quick_answers) = (faq_groups.clone(), quick_answers.clone());
        Ok(Response::new(ListFaqsResponse { groups, quick_answers }))
    }

    async fn get_meditation_guide(
        &self,
        _request: Request<GetMeditationGuideRequest>,
    ) -> Result<Response<GetMeditationGuideResponse>, Status> {
        let guide = Some(self.inner.guide.clone());
        Ok(Response::new(GetMeditationGuideResponse { guide }))
    }

    async fn get_consent_terms(
        &self,
        _request: Request<GetConsentTermsRequest>,
    ) -> Result<Response<GetConsentTermsResponse>, Status> {
        let terms = Some(self.inner.consent.clone());
        Ok(Response::new(GetConsentTermsResponse { terms }))
    }
}

#[tonic::async_trait]
impl CatalogueInternalService for Catalogue {
    async fn get_offering(
        &self,
        request: Request<GetOfferingRequest>,
    ) -> Result<Response<GetOfferingResponse>, Status> {
        self.inner.peers.verify(request.metadata(), OFFERING_CALLERS)?;
        let service = self.inner.service(&request.get_ref().service_id);
        let service = service.map_err(|rejection| status::reject(&rejection))?;
        let consultation = self.inner.content.consultation_of(&service.service_id);
        Ok(Response::new(GetOfferingResponse {
            service_id: service.service_id.clone(),
            title: service.title.clone(),
            duration_minutes: service.duration_minutes,
            price: service.price.clone(),
            practitioner_ids: service
                .practitioners
                .iter()
                .map(|one| one.practitioner_id.clone())
                .collect(),
            free: consultation.is_some(),
            repeat_after_days: consultation.map_or(0, |it| it.repeat_after_days),
            packages: self.inner.content.packages_for(&service.service_id).cloned().collect(),
        }))
    }
}

/// The public part of the practice's file, and who stands behind the practice.
fn to_wire(practice: &practice::Practice, about: &About) -> Practice {
    let identity = &practice.practice;
    let figures = practice.figures.iter().map(|figure| Figure {
        key: figure.key.clone(),
        value: figure.value.clone(),
        label: figure.label.clone(),
    });
    Practice {
        name: identity.name.clone(),
        practitioner_name: identity.practitioner_name.clone(),
        phone: identity.phone.clone(),
        email: identity.email.clone(),
        address: identity.address.clone(),
        city: identity.city.clone(),
        region: identity.region.clone(),
        // The zone was parsed from a name in the file, so it always has a name.
        time_zone: identity.zone.iana_name().unwrap_or("UTC").to_owned(),
        time_zone_label: identity.zone_label.clone(),
        contact_hours: identity.contact_hours.clone(),
        support_hours: identity.support_hours.clone(),
        whatsapp: identity.whatsapp.clone(),
        figures: figures.collect(),
        cancellation_hours: practice.policies.cancellation_hours,
        cancellation_policy: Some((&practice.policies.cancellation_policy(None)).into()),
        crisis_note: identity.crisis_note.clone(),
        review_services: practice.reviews.services.clone(),
        about: Some(about.clone()),
        refund_days_text: practice.policies.refund_days_text.clone(),
        reply_days_text: practice.policies.reply_days_text.clone(),
        wellbeing_note: identity.wellbeing_note.clone(),
        hold_minutes: practice.policies.hold_minutes,
        practitioners: practitioners(practice),
    }
}

fn guide_to_wire(guide: &Guide) -> MeditationGuide {
    let steps = guide.steps.iter().map(|step| MeditationStep {
        title: step.title.clone(),
        minutes: step.minutes,
        paragraphs: step.paragraphs.clone(),
    });
    MeditationGuide {
        title: guide.title.clone(),
        introduction: guide.introduction.clone(),
        steps: steps.collect(),
        closing: guide.closing.clone(),
        minutes: guide.minutes(),
    }
}

fn consent_to_wire(terms: consent::ConsentTerms) -> ConsentTerms {
    let consent::ConsentTerms { version, introduction, terms, declaration } = terms;
    let terms = terms.into_iter();
    let terms = terms
        .map(|consent::Term { title, paragraphs }| ConsentTerm { title, paragraphs })
        .collect();
    ConsentTerms { version, introduction, terms, declaration }
}

#[cfg(test)]
mod tests {
    use super::Rejection;
    use testkit::{dump, every_variant};

    #[test]
    fn rejections_reach_callers_like_this() {
        let all = every_variant!(Rejection: IdMissing, IdTooLong, Unknown);
        insta::assert_snapshot!("rejections", dump::rejections(&all));
    }
}
