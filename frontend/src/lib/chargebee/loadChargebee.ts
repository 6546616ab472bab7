import type { Site } from '@/lib/api/types';
import { readCspNonce } from '@/lib/page/pageSettings';
import { useChargebeeStore } from '@/stores/chargebee';
import type { Chargebee, StartedChargebee } from './types';

type ScriptedWindow = Window & { Chargebee?: Chargebee };

type ChargebeeKeys = Pick<Site, 'siteName' | 'publishableKey' | 'chargebeeJsUrl'>;

/** After this long, loading the provider's script counts as failed and can be retried. */
export const SCRIPT_TIMEOUT_MS = 15_000;

/** A second copy, injected because the first was slow, does not replace the first. */
function startChargebee({ siteName: site, publishableKey }: ChargebeeKeys): StartedChargebee {
  const page: ScriptedWindow = window;
  const { started } = useChargebeeStore.getState();
  if (started) {
    page.Chargebee = started.Chargebee;
    return started;
  }
  const { Chargebee } = page;
  if (!Chargebee) throw new Error('The provider’s script defined no Chargebee.');
  const options = { site, publishableKey, iframeOnly: true, cspNonce: readCspNonce() };
  return { Chargebee, instance: Chargebee.init(options) };
}

function injectScript(site: ChargebeeKeys, onFailed: () => void): void {
  const script = document.createElement('script');
  script.async = true;
  script.onload = () => {
    try {
      useChargebeeStore.getState().ready(startChargebee(site));
    } catch {
      onFailed();
    }
  };
  script.onerror = onFailed;
  script.src = site.chargebeeJsUrl;
  document.head.append(script);
}

/**
 * Loads and starts the provider's script, once per page, and again after a failure. The store holds
 * the status: a script that is blocked, broken or too slow has failed, but is still used if it
 * arrives late.
 */
export function loadChargebee(site: ChargebeeKeys): void {
  const { status, begin, fail } = useChargebeeStore.getState();
  if (status === 'loading' || status === 'ready') return;
  begin();
  const failUnlessReady = () => {
    clearTimeout(timer);
    if (useChargebeeStore.getState().status === 'loading') fail();
  };
  const timer = setTimeout(failUnlessReady, SCRIPT_TIMEOUT_MS);
  injectScript(site, failUnlessReady);
}
