/** Searches in a worker, so that the page stays usable; the most that is asked for takes a minute. */

const LIMIT_MS = 120_000;

export function solveInWorker(asked: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./work-worker.ts', import.meta.url), { type: 'module' });
    const end = (token?: string) => {
      clearTimeout(limit);
      worker.terminate();
      resolve(token);
    };
    const limit = setTimeout(end, LIMIT_MS);
    worker.onmessage = ({ data }: MessageEvent<string>) => end(data);
    worker.onerror = () => end();
    worker.postMessage(asked);
  });
}
