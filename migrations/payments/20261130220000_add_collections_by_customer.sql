-- A client's receipts of a year are found by the client's bookings, however many there are in all.
create index collections_by_customer on collections (customer_id);
