import { matchRoutes, parsePath } from 'react-router-dom';

import type { Site } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { saveHandover } from './handover';

/** The kinds of page that the server serves. They differ in what their headers allow. */
type PageKind = 'app' | 'profile' | 'card' | 'payPal';

/** An operator's view of an account: its screens, read-only, until it expires or is ended. */
export interface AccountView {
  /** The subscriber's name, or else the email address. */
  name: string;
  expiresAt: string;
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

const PAYMENT_PAGES: readonly { path: string; id: PageKind }[] = [
  { path: paths.addCard, id: 'card' },
  { path: paths.updateCard, id: 'card' },
  { path: paths.payPal, id: 'payPal' },
];

/**
 * A page of its own only if a support widget is configured, because the profile does not allow it.
 */
const PROFILE_PAGE: { path: string; id: PageKind } = { path: paths.editProfile, id: 'profile' };

/** Uses the router's matching, so that trailing slashes, case and encoding are treated alike. */
function pageKindFor(path: string): PageKind {
  // A view has no payment forms, so that one page shows all of its screens.
  if (readAccountView() !== null) return 'app';
  const pages = hasSeparateProfile() ? [...PAYMENT_PAGES, PROFILE_PAGE] : [...PAYMENT_PAGES];
  return matchRoutes(pages, path)?.[0]?.route.id ?? 'app';
}

/** The JSON that the server embedded in the page under this id. */
function readPageJson<T>(id: string): T | null {
  return JSON.parse(document.getElementById(id)?.textContent ?? 'null');
}

function readPageSettings(): PageSettings {
  return readPageJson<PageSettings>('portal-settings') ?? {};
}

function currentPageKind(): PageKind {
  return readPageSettings().document ?? 'app';
}

function hasSeparateProfile(): boolean {
  return pageAllowsSupportWidget() || currentPageKind() === 'profile';
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

/**
 * A page is always right for the path it was served for. Otherwise a server with other rules would
 * cause a reload loop.
 */
function wasPageLoadedFor(path: string): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  return entry !== undefined && new URL(entry.name).pathname === parsePath(path).pathname;
}

/** Whether this page may load the provider's script, for card details or for PayPal. */
export function pageAllowsProviderScript(): boolean {
  return currentPageKind() === 'card' || currentPageKind() === 'payPal';
}

/**
 * Whether this page may show a path, which may include a query string. Navigation to any other path
 * reloads the page.
 */
export function canShowInThisPage(path: string): boolean {
  return wasPageLoadedFor(path) || pageKindFor(path) === currentPageKind();
}

/** Reloads the page for the current URL, which keeps its navigation state. */
export function reloadPage(): void {
  saveHandover();
  window.location.reload();
}
