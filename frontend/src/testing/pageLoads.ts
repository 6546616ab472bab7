import { vi } from 'vitest';

import type { Site } from '@/lib/api/types';
import type { AccountView } from '@/lib/page/pageSettings';

/** Embeds in the page what the server would for this kind of page. */
export function servePageAs(
  kind: 'app' | 'profile' | 'card' | 'payPal',
  {
    site,
    ...more
  }: {
    supportWidget?: boolean;
    cspNonce?: string;
    view?: AccountView;
    site?: Site | null | undefined;
  } = {},
): void {
  writePageJson('portal-settings', { document: kind, ...more });
  if (site !== undefined) writePageJson('portal-site', site);
}

function writePageJson(id: string, value: unknown): void {
  const script = document.createElement('script');
  script.id = id;
  script.type = 'application/json';
  script.textContent = JSON.stringify(value);
  document.head.append(script);
}

/** Replaces `location.reload`, which jsdom does not implement, with a mock. */
export function stubReload() {
  const loads = { reload: vi.fn<() => void>() };
  const get = (_: object, name: string) =>
    Reflect.get(loads, name) ?? Reflect.get(document.location, name);
  vi.stubGlobal('location', new Proxy({}, { get }));
  return loads;
}

/** Removes all scripts, what `servePageAs` embedded among them, and resets the URL. */
export function resetPage(): void {
  for (const script of document.querySelectorAll('script')) script.remove();
  window.history.replaceState(null, '', '/');
}
