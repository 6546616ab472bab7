import type { Site } from '@/lib/api/types';
import type { ChargebeeInstance } from '@/lib/chargebee';
import { useChargebeeStore } from '@/stores/chargebee';

interface Chargebee {
  init: (options: {
    site: string;
    publishableKey: string;
    iframeOnly: boolean;
  }) => ChargebeeInstance;
}

type ScriptedWindow = Window & { Chargebee?: Chargebee };

type Keys = Pick<Site, 'siteName' | 'publishableKey' | 'chargebeeJsUrl'>;

/** As long as the provider's script may take before one is told, and may ask for it again. */
export const SCRIPT_TIMEOUT_MS = 15_000;

/** What was started: that may be done once only. */
let started: { Chargebee: Chargebee; instance: ChargebeeInstance } | undefined;

/** A second script, asked for when the first was slow, does not take its place. */
function start({ siteName: site, publishableKey }: Keys): ChargebeeInstance {
  const scripted: ScriptedWindow = window;
  if (!started) {
    const { Chargebee } = scripted;
    if (!Chargebee) throw new Error('The provider’s script brought nothing along.');
    started = { Chargebee, instance: Chargebee.init({ site, publishableKey, iframeOnly: true }) };
  }
  scripted.Chargebee = started.Chargebee;
  return started.instance;
}

function inject(site: Keys, onFailed: () => void): void {
  const script = document.createElement('script');
  script.async = true;
  script.onload = () => {
    try {
      useChargebeeStore.getState().ready(start(site));
    } catch {
      onFailed();
    }
  };
  script.onerror = onFailed;
  script.src = site.chargebeeJsUrl;
  document.head.append(script);
}

/**
 * Loads the provider's script and starts it, once on a page; again after a failure. How that went is in
 * the store: a script that is blocked, broken or too slow has failed, and one that comes late is still
 * taken.
 */
export function loadChargebee(site: Keys): void {
  const { status, begin, fail } = useChargebeeStore.getState();
  if (status === 'loading' || status === 'ready') return;
  begin();
  const failUnlessReady = () => {
    clearTimeout(timer);
    if (useChargebeeStore.getState().status === 'loading') fail();
  };
  const timer = setTimeout(failUnlessReady, SCRIPT_TIMEOUT_MS);
  inject(site, failUnlessReady);
}
