/** What secrets/make.mjs makes is what the manifests read, neither more nor less. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { make } from '../secrets/make.mjs';
import { FOLDER, overlay, parse } from './render.mjs';
import { containersOf, podOf, workloads } from './workloads.mjs';

const FORM = join(FOLDER, 'secrets/third-parties.env');
let development;

before(() => {
  development = overlay('development');
});

/** The names of the Secrets that objects read, made by cert-manager or not. */
function read(objects) {
  const ofPods = workloads(objects).flatMap((workload) => {
    const { volumes = [] } = podOf(workload).spec;
    const mounted = volumes.flatMap(({ secret, projected }) => [
      secret?.secretName,
      ...(projected?.sources ?? []).map((source) => source.secret?.name),
    ]);
    const env = containersOf(workload).flatMap(({ envFrom = [] }) =>
      envFrom.map(({ secretRef }) => secretRef?.name),
    );
    return [...mounted, ...env];
  });
  const clusters = objects.filter(({ kind }) => kind === 'Cluster');
  const roles = clusters.flatMap(({ spec }) => spec.managed.roles);
  const passwords = roles.map(({ passwordSecret }) => passwordSecret.name);
  // The first owner's password is chosen by a person.
  const others = (name) => name && name !== 'owner' && !name.endsWith('-tls');
  const names = [...ofPods, ...passwords].filter(others);
  return [...new Set(names)].sort();
}

it('a trial gets each Secret that its manifests read', () => {
  const made = make().items.filter(({ kind }) => kind === 'Secret');
  assert.deepEqual(made.map(({ metadata }) => metadata.name).sort(), read(development));
});

it('each setting that names a file finds it in the Secret that is mounted there', () => {
  const made = Object.fromEntries(make().items.map((item) => [item.metadata.name, item]));
  for (const workload of workloads(development)) {
    if (workload.metadata.name === 'account') continue;
    const { volumes = [] } = podOf(workload).spec;
    for (const { env = [], volumeMounts = [] } of containersOf(workload)) {
      for (const { name, value } of env.filter((one) => one.name.endsWith('_FILE'))) {
        const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`));
        const { secret } = volumes.find((volume) => volume.name === mount.name);
        const file = value.slice(mount.mountPath.length + 1);
        assert.equal(`${file}_FILE`, name);
        assert.ok(made[secret.secretName].stringData[file], `${secret.secretName} has no ${file}`);
      }
    }
  }
});

it('the checker comes into a restored copy as the roles that only read', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'sukoon-secrets-')), 'given.env');
  writeFileSync(file, readFileSync(FORM, 'utf8').replaceAll(/^([A-Z_]+)=.*$/gm, '$1=x'));
  const { items } = make(file);
  const { stringData } = items.find(({ metadata }) => metadata.name === 'checker');
  const job = overlay('staging').find(
    ({ kind, metadata }) => kind === 'CronJob' && metadata.name === 'restore-check',
  );
  const [{ env }] = containersOf(job);
  const read = env.map(({ name }) => name).filter((name) => name.endsWith('_FILE'));
  assert.deepEqual(
    read,
    Object.keys(stringData)
      .map((name) => `${name}_FILE`)
      .sort(),
  );
  for (const [name, url] of Object.entries(stringData)) {
    const service = name.replace('_DATABASE_URL', '').toLowerCase();
    const role = items.find(({ metadata }) => metadata.name === `postgres-${service}-reader`);
    const { username, password } = role.stringData;
    const server = 'restore-drill-rw:5432';
    const address = `postgres://${username}:${password}@${server}/${service}?sslmode=verify-full`;
    assert.ok(url.startsWith(address), name);
  }
});

it('a practice has a value for each name of the form', () => {
  assert.throws(() => make(FORM), /has no value for/);
  const names = [...readFileSync(FORM, 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  assert.equal(names.length, 8);
});

it('no two practices have a secret in common, and the public keys hold nothing private', () => {
  const [one, other] = [make(), make()].map((list) => JSON.stringify(list));
  const words = (text) => new Set(text.match(/[0-9a-f]{32}/g));
  assert.equal([...words(one)].filter((word) => words(other).has(word)).length, 0);
  const { data } = make().items.find(({ kind }) => kind === 'ConfigMap');
  const { keys } = JSON.parse(data.CALLER_PUBLIC_KEYS);
  assert.equal(keys.length, 6);
  assert.ok(keys.every((key) => key.kid && key.x && key.d === undefined));
});

it('external-secrets fetches the same names', () => {
  const text = ['programs', 'postgres'].map((name) =>
    readFileSync(join(FOLDER, `components/external-secrets/${name}.yaml`), 'utf8'),
  );
  const fetched = text.flatMap(parse).map(({ metadata }) => metadata.name);
  const buckets = ['postgres-bucket', 'reviews-bucket'];
  const own = read(development).filter((name) => name !== 'sandbox');
  assert.deepEqual(fetched.sort(), [...own, ...buckets, 'checker'].sort());
});
