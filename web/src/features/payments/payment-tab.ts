/**
 * The tab of the provider's page. A browser lets a page open a tab only while a press is handled, and
 * the address of the payment is known a moment later: so the tab is opened empty and led on.
 */

export type PaymentTab = {
  /** Leads the tab to the provider's page. */
  go: (address: string) => void;
  close: () => void;
};

const WAITING = 'Opening the payment page…';

/** Opens the tab; nothing where the browser refuses it. Has to be called by a press itself. */
export function openPaymentTab(): PaymentTab | undefined {
  const tab = window.open('', '_blank');
  if (!tab) return undefined;
  // The provider's page must not reach this one.
  tab.opener = null;
  tab.document.title = WAITING;
  tab.document.body.textContent = WAITING;
  return {
    go: (address) => tab.location.replace(address),
    close: () => tab.close(),
  };
}
