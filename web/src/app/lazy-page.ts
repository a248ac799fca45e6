/**
 * Pages in chunks of their own. Unlike with React.lazy, a page that was preloaded renders at once,
 * so that prerendering and hydration never suspend.
 */
import type { ComponentType } from 'react';
import { followLoad, PageNotLoaded } from '@/lib/chunk-loads';
import { importWithRetry } from '@/lib/import-with-retry';

/** The values of a path's open parts, as the address writes them. */
export type Params = Readonly<Record<string, string | undefined>>;

export type PageProps = { params: Params };

type Page = ComponentType<PageProps>;

type Code<Module> = {
  load(): Promise<Module>;
  /** The component in the module that `load` brought. */
  pageOf(module: Module): Page;
};

export class LazyPage<Module = unknown> {
  readonly load: Code<Module>['load'];
  readonly pageOf: Code<Module>['pageOf'];
  /**
   * The component is in <file>-page.tsx of its feature or in app/routes/<file>.tsx, by which the
   * prerender finds the page's chunk. Without one it is called like the path.
   */
  readonly file: string | undefined;
  loaded: Page | undefined;
  failed = false;
  #pending: Promise<void> | undefined;

  constructor(load: Code<Module>['load'], pageOf: Code<Module>['pageOf'], file?: string) {
    this.load = load;
    this.pageOf = pageOf;
    this.file = file;
  }

  /** One attempt for all callers; a failed one stays failed until `reload` is called. */
  preload(): Promise<void> {
    this.#pending ??= this.#attempt();
    return this.#pending;
  }

  reload(): Promise<void> {
    this.#pending = undefined;
    return this.preload();
  }

  async #attempt(): Promise<void> {
    try {
      const module = await followLoad(importWithRetry(this.load));
      this.loaded = this.pageOf(module);
      this.failed = false;
    } catch (cause) {
      this.failed = true;
      throw new PageNotLoaded(() => this.reload(), cause);
    }
  }
}
