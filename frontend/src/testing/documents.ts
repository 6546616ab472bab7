import { vi } from 'vitest';

/** Makes the page one that the server has served as this kind of document. */
export function servedAs(
  kind: 'app' | 'profile' | 'card' | 'payPal',
  more: { supportWidget?: boolean } = {},
): void {
  const settings = document.createElement('script');
  settings.id = 'portal-settings';
  settings.type = 'application/json';
  settings.textContent = JSON.stringify({ document: kind, ...more });
  document.head.append(settings);
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
  document.getElementById('portal-settings')?.remove();
  window.history.replaceState(null, '', '/');
}
