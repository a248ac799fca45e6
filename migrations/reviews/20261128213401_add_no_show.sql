-- Whether the client came to no session of the booking: then it proves no review.

alter table sessions add column no_show boolean not null default false;
