import { Component, type ReactNode } from 'react';

type Props = {
  children: ReactNode;
  /** What stands in its place where it cannot be shown. */
  instead?: ReactNode;
};
type State = { failed: boolean };

/**
 * Around a part that a page can do without (a time in the reader's zone, an invitation, quotes): when
 * it fails, it is missing, and the page around it stays.
 */
export class Optional extends Component<Props, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override render(): ReactNode {
    const { children, instead = null } = this.props;
    return this.state.failed ? instead : children;
  }
}
