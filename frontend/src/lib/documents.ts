import { matchRoutes, parsePath } from 'react-router-dom';

import type { Site } from '@/lib/api/types';
import { leaveNews } from '@/lib/news';
import { paths } from '@/lib/paths';

/** The documents that the server serves: they differ in what their headers allow. */
type DocumentKind = 'app' | 'profile' | 'card' | 'payPal';

interface DocumentSettings {
  document?: DocumentKind;
  /** Whether the support widget's script may run here. */
  supportWidget?: boolean;
}

const KINDS: readonly { path: string; id: DocumentKind }[] = [
  { path: paths.addCard, id: 'card' },
  { path: paths.updateCard, id: 'card' },
  { path: paths.payPal, id: 'payPal' },
];

/** Its own document only where there is a support widget, which is off there. */
const PROFILE: { path: string; id: DocumentKind } = { path: paths.editProfile, id: 'profile' };

/** Asks the router, so that the two cannot disagree about a slash at the end, a capital or an encoded letter. */
function kindOf(path: string): DocumentKind {
  const kinds = isProfileApart() ? [...KINDS, PROFILE] : [...KINDS];
  return matchRoutes(kinds, path)?.[0]?.route.id ?? 'app';
}

/** What the server wrote into the page under this name. */
function written<T>(id: string): T | null {
  return JSON.parse(document.getElementById(id)?.textContent ?? 'null');
}

function settings(): DocumentSettings {
  return written<DocumentSettings>('portal-settings') ?? {};
}

function thisKind(): DocumentKind {
  return settings().document ?? 'app';
}

function isProfileApart(): boolean {
  return allowsSupportWidget() || thisKind() === 'profile';
}

/** Whether the support widget may run in this document: its headers allow the script. */
export function allowsSupportWidget(): boolean {
  return settings().supportWidget === true;
}

/** What `/api/site` would answer, as it came with this document; undefined where it has to be asked. */
export function siteOfDocument(): Site | undefined {
  return written<Site>('portal-site') ?? undefined;
}

/** What the server served for an address is right for it: without this, a server that disagrees would be a loop. */
function wasLoadedFor(path: string): boolean {
  const [loaded] = performance.getEntriesByType('navigation');
  return loaded !== undefined && new URL(loaded.name).pathname === parsePath(path).pathname;
}

/** Whether this document may load the provider's script: to enter card details, or for PayPal. */
export function isCardDocument(): boolean {
  return thisKind() === 'card' || thisKind() === 'payPal';
}

/** Whether a path (a query may follow) can be shown in this document; `navigate` to any other loads it anew. */
export function belongsHere(path: string): boolean {
  return wasLoadedFor(path) || kindOf(path) === thisKind();
}

/** Loads the document of the present address, which is kept with its navigation state. */
export function loadAnew(): void {
  leaveNews();
  window.location.reload();
}
