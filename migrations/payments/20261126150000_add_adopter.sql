-- Bookings that staff made by phone have a contact as their customer, until the account that proved its
-- address adopts them. It is kept beside the first customer, so that the order of the events of booking
-- and of this service does not matter.
alter table known_bookings add column adopter_id uuid;
