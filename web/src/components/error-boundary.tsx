import { Component, type ReactNode } from 'react';
import { Button } from './ui/button';

type Props = { children: ReactNode };
type State = { failed: boolean };

/** The page that is left when rendering fails. It depends on nothing that can fail again. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  /** The way back leads to a page that may well be whole. */
  override componentDidMount(): void {
    window.addEventListener('popstate', this.forget);
  }

  override componentWillUnmount(): void {
    window.removeEventListener('popstate', this.forget);
  }

  forget = () => {
    if (this.state.failed) this.setState({ failed: false });
  };

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <main className="container-page flex min-h-dvh flex-col items-start justify-center gap-6">
        <p className="text-sm font-semibold text-clay">We are sorry</p>
        <h1 className="text-h1">Something went wrong</h1>
        <p className="measure text-lg text-ink-2">
          This page could not be shown. Nothing that you paid for or booked is lost. Refreshing
          usually helps.
        </p>
        <div className="flex flex-wrap gap-3">
          <Button onClick={() => window.location.reload()}>Refresh Page</Button>
          <Button href="/" variant="secondary">
            Go to the start
          </Button>
        </div>
      </main>
    );
  }
}
