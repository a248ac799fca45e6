import type { ReactNode } from 'react';
import { Footer } from './footer';
import { Header } from './header';
import type { LinksAt } from './navigation';
import { Optional } from './optional';
import { PromoBubble } from './promo-bubble';
import { Toaster } from './ui/toaster';

type ShellProps = {
  children: ReactNode;
  linksAt: LinksAt;
  /** Shown at the bottom right of every page. */
  corner?: ReactNode;
  /** The page brings its own frame, with its header and its main part. */
  bare?: boolean;
};

/**
 * The corner floats only where the margin beside the content has room for it; on smaller screens it
 * ends the page, so that it never lies on anything. Where the invitation lies at the bottom edge, the
 * page goes on below the corner, so that it can be pressed.
 */
function Corner({ children }: { children: ReactNode }) {
  return (
    <aside
      aria-label="For the practice"
      className="bg-sunken pb-[max(1.5rem,env(safe-area-inset-bottom))] xl:fixed xl:right-[max(0.5rem,env(safe-area-inset-right))] xl:bottom-[max(1rem,env(safe-area-inset-bottom))] xl:z-30 xl:bg-transparent xl:p-0 max-lg:[html:has([data-promo])_&]:pb-32 print:hidden"
    >
      <div className="container-page flex justify-end xl:w-auto xl:p-0">{children}</div>
    </aside>
  );
}

function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only z-50 rounded-full border border-transparent bg-brand px-5 py-3 font-semibold text-on-brand focus:not-sr-only focus:fixed focus:top-3 focus:left-3 print:hidden"
    >
      Skip to content
    </a>
  );
}

/** Header, page, footer, the corner and the toast area. */
export function Shell({ children, linksAt, corner, bare = false }: ShellProps) {
  if (bare) {
    return (
      <>
        <SkipLink />
        {children}
        <Toaster />
      </>
    );
  }
  return (
    <>
      <SkipLink />
      <div className="flex min-h-dvh flex-col">
        <Header linksAt={linksAt} />
        <Optional>
          <PromoBubble />
        </Optional>
        <main id="main" tabIndex={-1} className="flex-1 outline-none">
          {children}
        </main>
        <Footer linksAt={linksAt} />
        <Optional>{corner ? <Corner>{corner}</Corner> : null}</Optional>
      </div>
      <Toaster />
    </>
  );
}
