-- Whose order, payment and refund a row is about. There was one provider so far.
alter table collections add column provider text not null default 'razorpay';
alter table payments add column provider text not null default 'razorpay';
alter table refunds add column provider text not null default 'razorpay';
