/**
 * Each program gets the settings that it must have, and none that it does not know. What each of
 * them reads is what its own test has written down in its snapshot.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from './reach.mjs';
import { overlay, overlays } from './render.mjs';
import { podOf, workloads } from './workloads.mjs';

/** Read by what the programs are made of: the runtime, the heap, the bucket's library. */
const BENEATH = [/^AWS_/, /^TOKIO_WORKER_THREADS$/, /^_RJEM_MALLOC_CONF$/];
const isOurs = (workload) =>
  ['service', 'migration'].includes(podOf(workload).metadata.labels['app.kubernetes.io/component']);

/** The settings of a program by its snapshot, each with whether it must be there. */
function known(service, command) {
  const folder = service === 'gateway' ? 'gateway' : `services/${service}`;
  const path = `${folder}/tests/it/snapshots/it__dumps__settings_of_${command}.snap`;
  const text = readFileSync(join(ROOT, path), 'utf8');
  const lines = text.matchAll(/^([A-Z_]+)\n {2}absent: (.+)$/gm);
  return new Map([...lines].map(([, name, absent]) => [name, absent === 'it is missing']));
}

/**
 * The names of the settings that a workload's program gets: its own, and those of the ConfigMap.
 */
function given(workload, objects) {
  const [program] = podOf(workload).spec.containers;
  const own = (program.env ?? []).map(({ name }) => name.replace(/_FILE$/, ''));
  const name = program.envFrom?.[0].configMapRef.name;
  if (!name) return { own, shared: [] };
  const { data } = objects.find((it) => it.kind === 'ConfigMap' && it.metadata.name === name);
  return { own, shared: Object.keys(data) };
}

it('staging and production have no bucket in common', () => {
  const buckets = (name) => {
    const objects = overlay(name);
    const { spec } = objects.find(({ kind }) => kind === 'ObjectStore');
    const { data } = objects.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('settings-'),
    );
    return [spec.configuration.destinationPath, data.REVIEWS_PICTURES_URL];
  };
  const [staging, production] = ['staging', 'production'].map(buckets);
  assert.deepEqual(
    staging.filter((it) => production.includes(it)),
    [],
  );
  assert.ok([...staging, ...production].every((it) => !it.includes('.invalid')));
});

for (const name of overlays()) {
  describe(`overlay ${name}`, () => {
    const objects = overlay(name);
    const ours = workloads(objects).filter(isOurs);
    const settings = (workload) => {
      const service = podOf(workload).metadata.labels['app.kubernetes.io/name'];
      return known(service, podOf(workload).spec.containers[0].args?.[0] ?? 'serve');
    };

    it('gives each program what it must have', () => {
      for (const workload of ours) {
        const { own, shared } = given(workload, objects);
        const wanted = [...settings(workload)].filter(([, isNeeded]) => isNeeded);
        const missing = wanted.map(([it]) => it).filter((it) => ![...own, ...shared].includes(it));
        assert.deepEqual(missing, [], workload.metadata.name);
      }
    });

    it('gives no program a setting that it does not know', () => {
      const isBeneath = (it) => BENEATH.some((pattern) => pattern.test(it));
      const all = new Set();
      const shared = new Set();
      for (const workload of ours) {
        const names = settings(workload);
        const got = given(workload, objects);
        const unknown = got.own.filter((it) => !names.has(it) && !isBeneath(it));
        assert.deepEqual(unknown, [], workload.metadata.name);
        for (const it of names.keys()) all.add(it);
        for (const it of got.shared) shared.add(it);
      }
      assert.deepEqual(
        [...shared].filter((it) => !all.has(it) && !isBeneath(it)),
        [],
      );
    });
  });
}
