select '  ' || count(*) || ' addresses have unsubscribed' from unsubscribed_addresses;
