/** The schemas refuse what is wrong in each kind of object, fields that do not exist among them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, it } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import { VERSIONS } from './prepare.mjs';
import { FOLDER as MANIFESTS, overlay, parse } from './render.mjs';
import { customFault, Kubernetes } from './schemas.mjs';

const FOLDER = resolve(process.env.SCHEMAS ?? 'target/check-deploy');
const COMMITTED = join(import.meta.dirname, 'schemas');
/** How a committed schema marks a field that we don't use, of which it only has the type. */
const OPEN = 'inside not described';
let production;

before(() => {
  production = overlay('production');
});

const copy = (kind) => structuredClone(production.find((it) => it.kind === kind));

for (const version of VERSIONS) {
  it(`Kubernetes ${version} refuses unknown fields and wrong types`, () => {
    const schemas = new Kubernetes(version, FOLDER);
    assert.equal(schemas.fault(copy('Deployment')), undefined);
    const unknown = copy('Deployment');
    unknown.spec.template.spec.containers[0].livnessProbe = {};
    assert.match(schemas.fault(unknown), /livnessProbe/);
    const wrong = copy('PodDisruptionBudget');
    wrong.spec.maxUnavailable = { of: 1 };
    assert.match(schemas.fault(wrong), /maxUnavailable/);
    assert.match(
      schemas.fault({ ...copy('Deployment'), apiVersion: 'apps/v2' }),
      /there is no Deployment/,
    );
  });
}

/** How each kind of custom resource is broken, and what is said then. */
const CUSTOM = {
  Certificate: [(it) => delete it.spec.secretName, /secretName/],
  ExternalSecret: [(it) => (it.spec.refreshIntervall = '1h'), /refreshIntervall/],
  Gateway: [(it) => (it.spec.listeners[0].port = 'http'), /port/],
  HTTPRoute: [(it) => (it.spec.parentRef = []), /parentRef/],
  Issuer: [(it) => (it.spec.selfSignd = {}), /selfSignd/],
  ScaledObject: [(it) => delete it.spec.triggers[0].type, /type/],
};

for (const [kind, [breakIt, said]] of Object.entries(CUSTOM)) {
  it(`a ${kind} that is wrong is refused`, async () => {
    assert.equal(await customFault(copy(kind)), undefined);
    const broken = copy(kind);
    breakIt(broken);
    assert.match(await customFault(broken), said);
  });
}

/** How each kind whose schema is committed here is broken, and what is said then. */
const BREAKS = {
  Cluster: {
    'an unknown field at the top': [(it) => (it.specs = {}), /specs/],
    'an unknown field in the middle': [({ spec }) => (spec.postgresql.synchron = {}), /synchron/],
    'an unknown field in a leaf': [
      ({ spec }) => (spec.managed.roles[0].passwordSecret.key = 'password'),
      /passwordSecret .*key/,
    ],
    'a field of a plugin that does not exist': [({ spec }) => (spec.plugins[0].isWal = 1), /isWal/],
    'a wrong type': [
      ({ spec }) => (spec.postgresql.parameters.max_connections = 300),
      /max_connections must be string/,
    ],
    'a list that is none': [({ spec }) => (spec.postgresql.pg_hba = 'all'), /must be array/],
    'a wrong value of an enumeration': [
      ({ spec }) => (spec.primaryUpdateMethod = 'failover'),
      /primaryUpdateMethod .*allowed/,
    ],
    'a number that is too small': [({ spec }) => (spec.instances = 0), /instances must be >= 1/],
    'a quantity that is none': [({ spec }) => (spec.resources.limits.memory = '2 Gi'), /memory/],
    'a missing field': [({ spec }) => delete spec.postgresql.synchronous.method, /'method'/],
    'an image and a catalogue of images': [
      ({ spec }) => (spec.imageCatalogRef = {}),
      /spec must NOT/,
    ],
    'a quorum of none': [
      ({ spec }) => (spec.postgresql.synchronous.number = 0),
      /number must be > 0/,
    ],
    'names of standbys with a durability that is only preferred': [
      ({ spec }) =>
        Object.assign(spec.postgresql.synchronous, {
          dataDurability: 'preferred',
          standbyNamesPre: ['one'],
        }),
      /standbyNamesPre/,
    ],
  },
  Database: {
    'an unknown field at the top': [(it) => (it.specs = {}), /specs/],
    'an unknown field in the middle': [({ spec }) => (spec.cluster.namespace = 'a'), /namespace/],
    'an unknown field in a leaf': [({ spec }) => (spec.extensions[0].present = true), /present/],
    'a wrong type': [({ spec }) => (spec.owner = { name: 'booking' }), /owner must be string/],
    'a wrong value of an enumeration': [
      ({ spec }) => (spec.databaseReclaimPolicy = 'keep'),
      /databaseReclaimPolicy .*allowed/,
    ],
    'a missing field': [({ spec }) => delete spec.owner, /'owner'/],
    'a name that is reserved': [({ spec }) => (spec.name = 'postgres'), /name must NOT/],
  },
  ObjectStore: {
    'an unknown field at the top': [(it) => (it.specs = {}), /specs/],
    'an unknown field in the middle': [({ spec }) => (spec.configuration.s3 = {}), /s3/],
    'an unknown field in a leaf': [
      ({ spec }) => (spec.configuration.s3Credentials.accessKeyId.optional = true),
      /optional/,
    ],
    'a wrong type': [({ spec }) => (spec.configuration.data.jobs = '2'), /jobs must be integer/],
    'a wrong value of an enumeration': [
      ({ spec }) => (spec.configuration.data.compression = 'zstd'),
      /compression .*allowed/,
    ],
    'a missing field': [
      ({ spec }) => delete spec.configuration.s3Credentials.accessKeyId.key,
      /'key'/,
    ],
    'a retention that is no time': [
      ({ spec }) => (spec.retentionPolicy = '30 days'),
      /retentionPolicy/,
    ],
    'the name of a server': [({ spec }) => (spec.configuration.serverName = 'a'), /must NOT/],
  },
  ScheduledBackup: {
    'an unknown field at the top': [(it) => (it.specs = {}), /specs/],
    'an unknown field in the middle': [({ spec }) => (spec.timeZone = 'UTC'), /timeZone/],
    'an unknown field in a leaf': [({ spec }) => (spec.pluginConfiguration.of = 'a'), /: of/],
    'a wrong type': [({ spec }) => (spec.immediate = 'yes'), /immediate must be boolean/],
    'a wrong value of an enumeration': [
      ({ spec }) => (spec.target = 'standby'),
      /target .*allowed/,
    ],
    'a missing field': [({ spec }) => delete spec.cluster.name, /'name'/],
  },
};

for (const [kind, ways] of Object.entries(BREAKS)) {
  it(`a ${kind} is right, and refused with each of ${Object.keys(ways).length} faults`, async () => {
    assert.equal(await customFault(copy(kind)), undefined);
    for (const [way, [breakIt, said]] of Object.entries(ways)) {
      const broken = copy(kind);
      breakIt(broken);
      assert.match((await customFault(broken)) ?? 'nothing', said, way);
    }
  });
}

it('a kind without a schema is refused', async () => {
  const said = 'there is no schema of Pooler in postgresql.cnpg.io/v1';
  assert.equal(await customFault({ ...copy('Cluster'), kind: 'Pooler' }), said);
});

it('a committed schema says what is in each object and list, or that it is not described', () => {
  for (const file of readdirSync(COMMITTED)) {
    JSON.parse(readFileSync(join(COMMITTED, file), 'utf8'), (key, it) => {
      const inside = { object: 'additionalProperties', array: 'items' }[it?.type];
      const isSaid = !inside || inside in it || it.$comment === OPEN || key === 'metadata';
      assert.ok(isSaid, `${file}: ${key} is open`);
      return it;
    });
  }
});

it('every field of ours is right and described, that of the scratch cluster too', async () => {
  const folder = join(MANIFESTS, 'components');
  const manifests = readdirSync(folder, { recursive: true }).filter((it) => it.endsWith('.yaml'));
  const objects = manifests
    .flatMap((it) => parse(readFileSync(join(folder, it), 'utf8')))
    .filter(({ apiVersion }) => /\.cnpg\.io\//.test(apiVersion));
  const fileOf = (it) => `${it.apiVersion.replace('/', '-')}-${it.kind.toLowerCase()}.json`;
  assert.deepEqual([...new Set(objects.map(fileOf))].sort(), readdirSync(COMMITTED).sort());
  // The same schemas, which refuse each field whose inside they don't describe.
  const close = (_, it) => (it?.$comment === OPEN ? false : it);
  const read = (file) => JSON.parse(readFileSync(join(COMMITTED, file), 'utf8'), close);
  const ajv = new Ajv({ allowUnionTypes: true, schemas: readdirSync(COMMITTED).map(read) });
  for (const object of objects) {
    assert.equal(await customFault(object), undefined);
    assert.ok(ajv.validate(fileOf(object), object), ajv.errorsText());
  }
});

it('a key that stands twice is no YAML', () => {
  assert.throws(() => parse('a: 1\na: 2\n'), /unique/i);
});
