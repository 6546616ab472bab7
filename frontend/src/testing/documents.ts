import { vi } from 'vitest';

import type { Site } from '@/lib/api/types';

/** Makes the page one that the server has served as this kind of document. */
export function servedAs(
  kind: 'app' | 'profile' | 'card' | 'payPal',
  { site, ...more }: { supportWidget?: boolean; site?: Site | null | undefined } = {},
): void {
  write('portal-settings', { document: kind, ...more });
  if (site !== undefined) write('portal-site', site);
}

function write(id: string, value: unknown): void {
  const script = document.createElement('script');
  script.id = id;
  script.type = 'application/json';
  script.textContent = JSON.stringify(value);
  document.head.append(script);
}

/** Full page loads, which jsdom cannot do: how often `location.reload` asked for one. */
export function pageLoads() {
  const loads = { reload: vi.fn<() => void>() };
  const get = (_: object, name: string) =>
    Reflect.get(loads, name) ?? Reflect.get(document.location, name);
  vi.stubGlobal('location', new Proxy({}, { get }));
  return loads;
}

/** Undoes both, and leaves the browser at the start. */
export function forgetDocument(): void {
  for (const script of document.querySelectorAll('script[id^=portal-]')) script.remove();
  window.history.replaceState(null, '', '/');
}
