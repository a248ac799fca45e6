/** A running practice for the browser to visit: started as `make run` starts it, and stopped. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

const READY_MS_MAX = 150_000;
/** How long a start may take before it is given up, with its end. */
export const START_MS_MAX = READY_MS_MAX + 30_000;
const LOOK_EVERY_MS = 100;

type Process = { pid: number };
type RunRecord = {
  ready: boolean;
  public_url: string;
  sandbox_url: string;
  parts: Record<string, { process: Process | null }>;
  databases: Record<string, { admin_url: string }>;
};

/** What `sukoon` says of its parts while it runs. */
function readRecord(data: string): RunRecord {
  return JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as RunRecord;
}

/** Asks until there is an answer; the caller's own time limit ends it. */
export async function until<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(LOOK_EVERY_MS);
  }
}

/** Below the ports that `sukoon` chooses for itself, and those that the system gives to anyone. */
const [FIRST_PORT, LAST_PORT] = [12_000, 19_999];

/**
 * A port for a program that has to be told one. A UDP socket of its number says until this process
 * ends that it is taken, as Sukoon's own programs do.
 */
export async function reservedPort(): Promise<number> {
  return until(
    () =>
      new Promise<number | undefined>((done) => {
        const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1));
        const socket = createSocket('udp4');
        socket.once('error', () => done(undefined));
        socket.bind(port, '127.0.0.1', () => done(port));
        socket.unref();
      }),
  );
}

function program(): string {
  const own = resolve(import.meta.dirname, '../../../target/debug/sukoon');
  const path = process.env.SUKOON_PROGRAM ?? own;
  if (!existsSync(path)) throw new Error(`${path} is not built: start the tests by make test-e2e`);
  return path;
}

export type Running = { data: string; stop: () => Promise<void> };

function ended(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function stop(child: ChildProcess, data: string): Promise<void> {
  const gone = new Promise((done) => child.once('exit', done));
  if (!ended(child)) {
    child.kill('SIGTERM');
    await gone;
  }
  rmSync(data, { recursive: true, force: true });
}

/** The setting of a practice that is visited by a name: passkeys do not work at a number. */
export const HOST_NAME = 'E2E_HOST_NAME';

/**
 * Starts a practice of its own, on ports that it chooses itself and in a folder that its database can reach. Where it
 * is not wanted any more before it is ready, it goes again, and this fails with the signal's reason.
 */
export async function startPractice(
  name: string,
  settings: Record<string, string> = {},
  unwanted?: AbortSignal,
): Promise<Running> {
  // Made open to all, because PostgreSQL's own user has to pass through it.
  const data = join(tmpdir(), `sukoon-e2e-${process.pid}-${name}`);
  mkdirSync(data, { recursive: true, mode: 0o755 });
  const { [HOST_NAME]: host, ...more } = settings;
  const named = host ? { PUBLIC_URL: `http://${host}:0` } : {};
  const child = spawn(program(), ['up'], {
    cwd: resolve(import.meta.dirname, '../../..'),
    env: {
      ...process.env,
      SUKOON_DATA: data,
      PORT: '0',
      SANDBOX_PORT: '0',
      ...named,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout?.on('data', (text: Buffer) => {
    said += text.toString();
  });
  child.stderr?.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const deadline = Date.now() + READY_MS_MAX;
  await until(async () => {
    if (unwanted?.aborted) {
      await stop(child, data);
      throw unwanted.reason;
    }
    if (ended(child) || Date.now() > deadline) {
      child.kill('SIGTERM');
      throw new Error(`The practice did not get ready. It said:\n${said}`);
    }
    try {
      return readRecord(data).ready || undefined;
    } catch {
      return undefined;
    }
  });
  return { data, stop: () => stop(child, data) };
}

/** The practice that runs in a folder: where it is, and what can be done to it. */
export class Practice {
  readonly data: string;
  readonly url: string;
  readonly sandboxUrl: string;

  constructor(data: string) {
    const record = readRecord(data);
    this.data = data;
    this.url = record.public_url;
    this.sandboxUrl = record.sandbox_url;
  }

  /** What a command of the staff prints, as on this machine beside the running practice. */
  staff(...words: string[]): string {
    return execFileSync(program(), words, {
      cwd: resolve(import.meta.dirname, '../../..'),
      env: { ...process.env, SUKOON_DATA: this.data },
      encoding: 'utf8',
    });
  }

  /** Kills a part again and again, so that it is away until `release` is called. */
  keepDown(part: string): { release: () => Promise<void> } {
    let wanted = true;
    const killing = (async () => {
      while (wanted) {
        const pid = readPid(this.data, part);
        if (pid !== undefined) killQuietly(pid);
        await pause(20);
      }
    })();
    return {
      release: async () => {
        wanted = false;
        await killing;
        await this.healthy();
      },
    };
  }

  /** Waits until every part says that it is ready. */
  async healthy(): Promise<void> {
    await until(async () => {
      const answer = await fetch(`${this.url}/healthz`).catch(() => undefined);
      return answer?.status === 200 ? true : undefined;
    });
  }

  /**
   * Moves clocks of services forward, by default those of booking and payments. They are never
   * moved back: what was decided then would lie in the future.
   */
  async passMinutes(minutes: number, services = ['booking', 'payments']): Promise<void> {
    const sql = `update clock set offset_by = offset_by + make_interval(mins => ${minutes})`;
    for (const service of services) await this.query(service, sql);
  }

  /** By how many minutes the clock of booking was moved. */
  async minutesPassed(): Promise<number> {
    const sql = 'select extract(epoch from offset_by)::int / 60 as minutes from clock';
    const [row] = await this.query<{ minutes: number }>('booking', sql);
    return row?.minutes ?? 0;
  }

  private async query<Row extends object>(service: string, sql: string): Promise<Row[]> {
    const { databases } = readRecord(this.data);
    const client = new Client({ connectionString: databases[service]?.admin_url });
    await client.connect();
    const { rows } = await client.query<Row>(sql);
    await client.end();
    return rows;
  }
}

function readPid(data: string, part: string): number | undefined {
  try {
    return readRecord(data).parts[part]?.process?.pid;
  } catch {
    // The file is being written.
    return undefined;
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
