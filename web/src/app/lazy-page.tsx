/**
 * Pages in chunks of their own. Unlike with React.lazy, a page that was preloaded renders at once,
 * so that prerendering and hydration never suspend.
 */
import { type ComponentType, use } from 'react';
import { PageNotLoaded } from '@/components/page-boundary';
import { followLoad } from '@/lib/chunk-loads';
import { importWithRetry } from '@/lib/import-with-retry';

/** The parts of a path that its page leaves open, as they stand in the address. */
export type Params = Readonly<Record<string, string | undefined>>;

export type PageProps = { params: Params };

type PageModule = { default: ComponentType<PageProps> };

const modules = import.meta.glob<PageModule>('./routes/*.tsx');

/** The page in app/routes/<name>.tsx. The prerender finds the page's chunk by this name. */
export class LazyPage {
  readonly name: string;
  loaded: ComponentType<PageProps> | undefined;
  failed = false;
  #pending: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** One attempt for everybody who waits; a failed one stays failed until it is asked for again. */
  preload(): Promise<void> {
    this.#pending ??= this.#load();
    return this.#pending;
  }

  reload(): Promise<void> {
    this.#pending = undefined;
    return this.preload();
  }

  async #load(): Promise<void> {
    const module = modules[`./routes/${this.name}.tsx`];
    if (!module) throw new Error(`There is no route file ${this.name}.tsx.`);
    try {
      this.loaded = (await followLoad(importWithRetry(module))).default;
      this.failed = false;
    } catch (cause) {
      this.failed = true;
      throw new PageNotLoaded(() => this.reload(), cause);
    }
  }
}

export function LazyPageOutlet({ page, params }: PageProps & { page: LazyPage }) {
  if (!page.loaded) use(page.preload());
  return page.loaded ? <page.loaded params={params} /> : null;
}
