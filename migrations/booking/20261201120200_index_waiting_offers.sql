-- Who was asked about a practitioner's times that are to come.
create index waiting_offers_by_practitioner on waiting_offers (practitioner_id, starts_at);
