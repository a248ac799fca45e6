/**
 * The restore drill's script, with programs that play kubectl and curl: what it asks of them, in
 * order.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { FOLDER } from './render.mjs';

const COMPONENT = join(FOLDER, 'components/restore-drill');
/** Notes each call, and answers as an API server does; what FAILS names goes wrong. */
const KUBECTL = `#!/bin/sh
echo "$*" >> "$LOG"
case "$*" in *"$FAILS"*) exit 1 ;; esac
case "$*" in
  *imageName*) echo "postgresql:17@sha256:abc" ;;
  *storage.size*) echo "20Gi" ;;
  "create -f -") cat > "$LOG.cluster" ;;
  "get job"*) echo "$JOB" ;;
  *) : ;;
esac
`;
const CURL = '#!/bin/sh\necho "curl $*" >> "$LOG"\ncat >> "$LOG.report"\n';

/** Runs the script; `fails` is the call of kubectl that fails, `job` how the check ends. */
function drill({ fails = 'nothing', job = 'Complete' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sukoon-drill-'));
  for (const [name, text] of Object.entries({ kubectl: KUBECTL, curl: CURL })) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  const log = join(folder, 'log');
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    LOG: log,
    FAILS: fails,
    JOB: job,
    FOLDER: COMPONENT,
    PAUSE_SECONDS: '0',
    CHECK_TIMEOUT_SECONDS: '10',
  };
  const { status } = spawnSync('sh', [join(COMPONENT, 'drill.sh')], { env, encoding: 'utf8' });
  const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const calls = read(log).trim().split('\n');
  return { status, calls, report: read(`${log}.report`), cluster: read(`${log}.cluster`) };
}

const isDeletion = (call) => call.startsWith('delete cluster');

it('restores, checks, reports, and leaves nothing behind', () => {
  const { status, calls, report, cluster } = drill();
  assert.equal(status, 0);
  const steps = calls.map((call) => call.split(' ').slice(0, 2).join(' '));
  assert.deepEqual(steps.slice(0, 6), [
    'delete job',
    'delete cluster.postgresql.cnpg.io',
    'get cluster.postgresql.cnpg.io',
    'get cluster.postgresql.cnpg.io',
    'create -f',
    'wait --for=condition=Ready',
  ]);
  assert.ok(isDeletion(calls.at(-1)));
  assert.match(cluster, /imageName: postgresql:17@sha256:abc\n {2}storage: \{ size: 20Gi \}/);
  assert.match(report, /^sukoon_restore_succeeded 1$/m);
  const names = [...report.matchAll(/^(\w+) \d+$/gm)].map(([, name]) => name);
  assert.equal(names.length, 4);
});

it('judges as of what was surely archived', () => {
  const call = drill().calls.find((it) => it.startsWith('create configmap'));
  const [, asOf] = /CHECK_AS_OF=(\S+)/.exec(call);
  const seconds = (Date.now() - Date.parse(asOf)) / 1000;
  assert.ok(seconds >= 600 && seconds < 660, asOf);
});

for (const [what, given] of Object.entries({
  'a cluster that cannot be made': { fails: 'create -f' },
  'a cluster that does not get ready': { fails: 'wait --for' },
  'a check that cannot be started': { fails: 'create job' },
  'a check that finds something': { job: 'Failed' },
  'a check that does not end': { job: '' },
  'a practice whose cluster cannot be read': { fails: 'imageName' },
})) {
  it(`reports and cleans up after ${what}`, () => {
    const { status, calls, report } = drill(given);
    assert.equal(status, 1);
    // The time of the last success is not pushed, so the one before stays.
    assert.equal(report, 'sukoon_restore_succeeded 0\n');
    assert.ok(isDeletion(calls.findLast((call) => !call.startsWith('curl'))));
    assert.ok(calls.every((call) => !/^delete .*postgres( |$)/.test(call)));
  });
}
