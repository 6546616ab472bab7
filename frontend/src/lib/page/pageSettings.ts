import type { Site } from '@/lib/api/types';

/** The kinds of page that the server serves. They differ in what their headers allow. */
export type PageKind = 'app' | 'profile' | 'card' | 'payPal';

/** An operator's view of an account: its screens, read-only, until it expires or is ended. */
export interface AccountView {
  id: number;
  /** The subscriber's name, or else the email address. */
  name: string;
  /** The time at which it expires, on the site's clock. */
  expiresOn: string;
  /** Until then, from the page load on; the device's clock may be wrong. */
  secondsLeft: number;
  /** Takes a form with the CSRF token. */
  endUrl: string;
  csrfToken: string;
  /** The account's page in the admin. */
  backUrl: string;
}

interface PageSettings {
  document?: PageKind;
  view?: AccountView;
  /** Whether the support widget's script may run on this page. */
  supportWidget?: boolean;
  /** Allows what the provider's script adds to this page itself. */
  cspNonce?: string;
}

/** The JSON that the server embedded in the page under this id. */
function readPageJson<T>(id: string): T | null {
  return JSON.parse(document.getElementById(id)?.textContent ?? 'null');
}

function readPageSettings(): PageSettings {
  return readPageJson<PageSettings>('portal-settings') ?? {};
}

/** What the headers of this page allow. */
export function currentPageKind(): PageKind {
  return readPageSettings().document ?? 'app';
}

/** The view that the server has embedded in the page; null for a subscriber. */
export function readAccountView(): AccountView | null {
  return readPageSettings().view ?? null;
}

/** Leaves the screens of a view that the server does not accept any more. */
export function leaveAccountView(): void {
  window.location.assign(readAccountView()?.backUrl ?? '/');
}

/** Whether the headers of this page allow the support widget's script. */
export function pageAllowsSupportWidget(): boolean {
  return readPageSettings().supportWidget === true;
}

/** The nonce for what the provider's script adds to this page; undefined on pages without it. */
export function readCspNonce(): string | undefined {
  return readPageSettings().cspNonce;
}

/**
 * The response of `/api/site` that the server embedded in the page; undefined if it has to be
 * fetched.
 */
export function readSiteFromPage(): Site | undefined {
  return readPageJson<Site>('portal-site') ?? undefined;
}

/** Whether this page may load the provider's script, for card details or for PayPal. */
export function pageAllowsProviderScript(): boolean {
  return currentPageKind() === 'card' || currentPageKind() === 'payPal';
}
