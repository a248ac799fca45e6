/**
 * Pages in chunks of their own. Unlike with React.lazy, a page that was preloaded renders at once,
 * so that prerendering and hydration never suspend.
 */
import { type ComponentType, use } from 'react';

type PageModule = { default: ComponentType };

const modules = import.meta.glob<PageModule>('./routes/*.tsx');

/** The page in app/routes/<name>.tsx. The prerender finds the page's chunk by this name. */
export class LazyPage {
  readonly name: string;
  loaded: ComponentType | undefined;
  #pending: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  preload(): Promise<void> {
    this.#pending ??= this.#load().catch((error: unknown) => {
      this.#pending = undefined;
      throw error;
    });
    return this.#pending;
  }

  async #load(): Promise<void> {
    const module = modules[`./routes/${this.name}.tsx`];
    if (!module) throw new Error(`There is no route file ${this.name}.tsx.`);
    this.loaded = (await module()).default;
  }
}

export function LazyPageOutlet({ page }: { page: LazyPage }) {
  if (!page.loaded) use(page.preload());
  return page.loaded ? <page.loaded /> : null;
}
