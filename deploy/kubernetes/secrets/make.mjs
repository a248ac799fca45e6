/**
 * Makes the secrets of one practice, once, and prints them as objects for `kubectl create -f -`.
 * Those of third parties are read from a file (third-parties.env beside this one shows its form);
 * without a file they are those of the sandbox, for the overlay development only.
 *
 * Usage: node deploy/kubernetes/secrets/make.mjs [file] > secrets.json
 *
 * Keep what it prints in a safe place: with other keys, the links in mails, the addresses of
 * calendars and the proofs of consent that were made before are no longer valid.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** The services with a database, each with the names of the keys that it alone has. */
const STORES = {
  booking: ['BOOKING_CONSENT_KEY', 'BOOKING_FEED_KEY'],
  identity: ['IDENTITY_CODE_KEY'],
  notifications: ['NOTIFICATIONS_ADDRESS_KEY'],
  payments: [],
  reviews: ['REVIEWS_INVITATION_KEY'],
};
/** What services need of third parties, by the name in the file. */
const THIRD_PARTIES = {
  booking: ['BOOKING_MEETING_TOKEN'],
  notifications: ['NOTIFICATIONS_SMTP_URL'],
  payments: ['PAYMENTS_KEY_SECRET', 'PAYMENTS_WEBHOOK_SECRET'],
};
const BUCKETS = { 'reviews-bucket': 'PICTURES', 'postgres-bucket': 'BACKUPS' };

const word = () => randomBytes(16).toString('hex');

/** A key pair for signatures: the private key in PEM, and the public one as JWK. */
function keyPair(name) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: name };
  return { pem: privateKey.export({ type: 'pkcs8', format: 'pem' }), jwk };
}

const secret = (name, stringData, type = 'Opaque', labels = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels },
  type,
  stringData,
});

/** The role's Secret, as the operator of PostgreSQL reads it, and its address for programs. */
function role(name, database) {
  const password = word();
  const query = 'sslmode=verify-full&sslrootcert=/run/tls/ca.crt&connection_limit=8';
  const object = secret(
    `postgres-${name.replace('_', '-')}`,
    { username: name, password },
    'kubernetes.io/basic-auth',
    { 'cnpg.io/reload': '' },
  );
  return { object, url: `postgres://${name}:${password}@postgres-rw:5432/${database}?${query}` };
}

/** All that one service with a database has; its password in NATS goes into `users`. */
function store(service, key, given, users) {
  const upper = service.toUpperCase();
  const [own, owner, reader] = [service, `${service}_owner`, `${service}_reader`].map((name) =>
    role(name, service),
  );
  users[service] = word();
  const data = {
    CALLER_PRIVATE_KEY: key.pem,
    [`${upper}_DATABASE_URL`]: own.url,
    NATS_URL: `tls://${service}:${users[service]}@nats:4222`,
  };
  for (const name of STORES[service]) data[name] = word();
  for (const name of THIRD_PARTIES[service] ?? []) data[name] = given[name];
  if (service === 'identity') data.IDENTITY_SIGNING_KEY = keyPair('identity').pem;
  return [
    secret(service, data),
    secret(`${service}-owner`, { [`${upper}_MIGRATION_DATABASE_URL`]: owner.url }),
    ...[own, owner, reader].map(({ object }) => object),
  ];
}

/** The addresses of a restored copy of all databases, for the roles that only read. */
function checker(stores) {
  const urls = stores
    .filter(({ metadata: { name } }) => /^postgres-.*-reader$/.test(name))
    .map(({ stringData: { username, password } }) => {
      const database = username.replace('_reader', '');
      const query = 'sslmode=verify-full&sslrootcert=/run/tls/ca.crt&connection_limit=1';
      const url = `postgres://${username}:${password}@restore-drill-rw:5432/${database}?${query}`;
      return [`${database.toUpperCase()}_DATABASE_URL`, url];
    });
  return secret('checker', Object.fromEntries(urls));
}

/** What the sandbox knows of its clients, and those clients of it. */
function sandbox() {
  const given = {
    PAYMENTS_KEY_SECRET: word(),
    PAYMENTS_WEBHOOK_SECRET: word(),
    BOOKING_MEETING_TOKEN: word(),
    NOTIFICATIONS_SMTP_URL: 'smtp://sandbox:2525',
  };
  const object = secret('sandbox', {
    SANDBOX_KEY_SECRET: given.PAYMENTS_KEY_SECRET,
    SANDBOX_WEBHOOK_SECRET: given.PAYMENTS_WEBHOOK_SECRET,
    SANDBOX_MEETING_TOKEN: given.BOOKING_MEETING_TOKEN,
  });
  return { given, objects: [object] };
}

/** What the file says; each name must have a value. */
function fromFile(file) {
  const given = parseEnv(readFileSync(file, 'utf8'));
  const bucketKeys = Object.values(BUCKETS).flatMap((it) => [
    `${it}_ACCESS_KEY_ID`,
    `${it}_SECRET_ACCESS_KEY`,
  ]);
  const missing = [...Object.values(THIRD_PARTIES).flat(), ...bucketKeys].filter(
    (it) => !given[it],
  );
  if (missing.length > 0) throw new Error(`${file} has no value for ${missing.join(', ')}`);
  const objects = Object.entries(BUCKETS).map(([name, prefix]) =>
    secret(name, {
      AWS_ACCESS_KEY_ID: given[`${prefix}_ACCESS_KEY_ID`],
      AWS_SECRET_ACCESS_KEY: given[`${prefix}_SECRET_ACCESS_KEY`],
    }),
  );
  return { given, objects };
}

/** All objects of a practice. */
export function make(file) {
  const { given, objects } = file ? fromFile(file) : sandbox();
  const keys = {};
  for (const name of [...Object.keys(STORES), 'catalogue']) keys[name] = keyPair(name);
  const users = {};
  const stores = Object.keys(STORES).flatMap((name) => store(name, keys[name], given, users));
  const passwords = Object.entries(users).map(([name, it]) => `${name}_password: "${it}"\n`);
  const items = [
    ...stores,
    ...objects,
    // A trial has no backups that could be restored.
    ...(file ? [checker(stores)] : []),
    secret('catalogue', { CALLER_PRIVATE_KEY: keys.catalogue.pem }),
    secret('nats-users', { 'passwords.conf': passwords.join('') }),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'caller-keys' },
      data: {
        CALLER_PUBLIC_KEYS: JSON.stringify({ keys: Object.values(keys).map(({ jwk }) => jwk) }),
      },
    },
  ];
  for (const { metadata } of items) metadata.namespace = 'sukoon';
  return { apiVersion: 'v1', kind: 'List', items };
}

if (import.meta.filename === process.argv[1]) {
  try {
    process.stdout.write(`${JSON.stringify(make(process.argv[2]), null, 2)}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
