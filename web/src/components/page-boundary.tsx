import { Component, type ReactNode } from 'react';
import { PageNotLoaded } from '@/lib/chunk-loads';
import { Button } from './ui/button';
import { PageHeading } from './ui/page-heading';

type Props = {
  children: ReactNode;
  /** Another place is another page, which has not failed yet. */
  place: string;
};
type State = { failure: unknown; place: string; busy: boolean; triedAgain: boolean };

const WHOLE = { failure: undefined, busy: false, triedAgain: false };

type NotLoadedProps = { busy: boolean; triedAgain: boolean; onRetry: () => void };

function NotLoaded({ busy, triedAgain, onRetry }: NotLoadedProps) {
  return (
    <div className="container-page flex min-h-[60dvh] flex-col items-start justify-center gap-8 py-16">
      <PageHeading
        eyebrow="We are sorry"
        lead="It didn't finish loading. Nothing is lost: try again, or come back when your connection is better."
      >
        This page could not be loaded
      </PageHeading>
      <div className="flex flex-wrap gap-3">
        <Button busy={busy} busyText="Trying again…" onClick={onRetry}>
          Try again
        </Button>
        {triedAgain ? (
          // After a release the old file may be gone; a new document names the new one.
          <Button variant="secondary" onClick={() => window.location.reload()}>
            Refresh Page
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** Shown for a page whose code cannot be loaded. Other errors go on to the boundary above. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { ...WHOLE, place: this.props.place };

  static getDerivedStateFromError(failure: unknown): Partial<State> {
    return { failure, busy: false };
  }

  static getDerivedStateFromProps({ place }: Props, state: State): Partial<State> | null {
    return place === state.place ? null : { ...WHOLE, place };
  }

  override componentDidMount(): void {
    window.addEventListener('online', this.retry);
  }

  override componentDidCatch(error: unknown): void {
    if (!(error instanceof PageNotLoaded)) return;
    if (error.told) this.retry();
    error.told = true;
  }

  override componentWillUnmount(): void {
    window.removeEventListener('online', this.retry);
  }

  retry = () => {
    const { failure, busy } = this.state;
    if (!(failure instanceof PageNotLoaded) || busy) return;
    this.setState({ busy: true });
    void failure.again().then(
      () => this.setState(WHOLE),
      (next: unknown) => {
        if (next instanceof PageNotLoaded) next.told = true;
        this.setState({ failure: next, busy: false, triedAgain: true });
      },
    );
  };

  override render() {
    const { failure, busy, triedAgain } = this.state;
    if (!failure) return this.props.children;
    if (!(failure instanceof PageNotLoaded)) throw failure;
    return <NotLoaded busy={busy} triedAgain={triedAgain} onRetry={this.retry} />;
  }
}
