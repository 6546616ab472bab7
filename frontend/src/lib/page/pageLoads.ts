import { matchRoutes, parsePath } from 'react-router-dom';
import { paths } from '@/lib/paths';
import { saveHandover } from './handover';
import {
  currentPageKind,
  type PageKind,
  pageAllowsSupportWidget,
  readAccountView,
} from './pageSettings';

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

function hasSeparateProfile(): boolean {
  return pageAllowsSupportWidget() || currentPageKind() === 'profile';
}

/**
 * A page is always right for the path it was served for. Otherwise a server with other rules would
 * cause a reload loop.
 */
function wasPageLoadedFor(path: string): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  return entry !== undefined && new URL(entry.name).pathname === parsePath(path).pathname;
}

/** Whether a link of this site loaded the page, and not a reload, Back or another site. */
export function isLinkFollowed(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return entry?.type === 'navigate' && document.referrer.startsWith(`${window.location.origin}/`);
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
