//! What a client agreed to, as staff see it with the history of a booking.

use contract::booking::v1::{
    AcceptedTerms as WireAcceptedTerms, AcceptedText as WireAcceptedText, ConsentChannel,
    ConsentRecord, HistoryConsent,
};
use contract::convert::to_wire;

use crate::domain::consent::GivenConsent;
use crate::domain::consent::proof::{Channel, Proof};
use crate::read_model::accepted_terms::{AcceptedTerms, AcceptedText};

/// What was shown when the terms were accepted.
pub(super) fn wire_accepted_terms(accepted: AcceptedTerms) -> WireAcceptedTerms {
    WireAcceptedTerms {
        accepted_at: Some(to_wire(accepted.accepted_at)),
        terms: accepted.terms.map(wire_text),
        refunds: accepted.refunds.map(wire_text),
        privacy: accepted.privacy.map(wire_text),
        notice_hours: accepted.notice_hours,
        shown_notice_hours: accepted.shown_notice_hours,
    }
}

fn wire_text(text: AcceptedText) -> WireAcceptedText {
    let AcceptedText { version, hash, words } = text;
    WireAcceptedText { version, hash, words: words.unwrap_or_default() }
}

/// The consent that stands behind a booking, with the words that were agreed to.
pub(super) fn wire_consent((consent, words): (GivenConsent, Option<String>)) -> HistoryConsent {
    HistoryConsent {
        consent_id: consent.id.to_string(),
        version: consent.version.clone(),
        given_at: Some(to_wire(consent.given_at)),
        withdrawn_at: consent.withdrawn_at.map(to_wire),
        record: Some(wire_record(consent)),
        words: words.unwrap_or_default(),
    }
}

/// A consent as it was given, and by which way.
pub(super) fn wire_record(given: GivenConsent) -> ConsentRecord {
    let Proof {
        channel,
        session_id,
        page_key,
        network,
        user_agent,
        code_mailed_to,
        code_confirmed_at,
    } = given.proof;
    ConsentRecord {
        consent_id: given.id.to_string(),
        booking_id: given.booking_id.to_string(),
        version: given.version,
        full_name: given.full_name,
        email: given.email,
        signature: given.signature,
        given_at: Some(to_wire(given.given_at)),
        withdrawn_at: given.withdrawn_at.map(to_wire),
        channel: wire_channel(channel).into(),
        session_id: session_id.map(|id| id.to_string()).unwrap_or_default(),
        page_key: page_key.unwrap_or_default(),
        network: network.unwrap_or_default(),
        user_agent: user_agent.unwrap_or_default(),
        code_mailed_to: code_mailed_to.unwrap_or_default(),
        code_confirmed_at: code_confirmed_at.map(to_wire),
    }
}

fn wire_channel(channel: Channel) -> ConsentChannel {
    match channel {
        Channel::Account => ConsentChannel::Account,
        Channel::Page => ConsentChannel::Page,
        Channel::Unknown => ConsentChannel::Unspecified,
    }
}
