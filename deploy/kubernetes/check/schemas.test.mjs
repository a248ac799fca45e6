/** The schemas refuse what is wrong in each kind of object, fields that do not exist among them. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { before, it } from 'node:test';
import { VERSIONS } from './prepare.mjs';
import { overlay, parse } from './render.mjs';
import { customFault, Kubernetes } from './schemas.mjs';

const FOLDER = resolve(process.env.SCHEMAS ?? 'target/check-deploy');
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

it('says where no schema is to be had', async () => {
  assert.equal(await customFault(copy('Cluster')), null);
});

it('a key that stands twice is no YAML', () => {
  assert.throws(() => parse('a: 1\na: 2\n'), /unique/i);
});
