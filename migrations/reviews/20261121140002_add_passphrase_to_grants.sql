-- By which passphrase a grant was given: SHA-256 of its argon2id hash. A grant ends with it.
alter table moderation_grants
    add column passphrase_sha256 bytea check (length(passphrase_sha256) = 32);
