-- How many messages the contact form took lately, from everybody together.
create index contact_messages_by_time on contact_messages (received_at);
