import type { QueryClient } from '@tanstack/react-query';

import { keys } from '@/lib/api/queries';

/** What the tabs of one browser tell each other; nothing of the account itself. */
const CHANNEL = 'account-changed';

/** Who hears in this tab: a channel leaves out only itself, and each change answers for its own tab. */
let listening: BroadcastChannel | null = null;

/** Tells the subscriber's other tabs that something of the account may have changed. */
export function tellOtherTabs(): void {
  const channel = listening ?? new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  if (channel !== listening) channel.close();
}

/** Asks anew for what is shown of the account when another tab has changed it. Returns the undo. */
export function refreshAfterOtherTabs(queryClient: QueryClient): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => void queryClient.invalidateQueries({ queryKey: keys.account.all });
  listening = channel;
  return () => {
    channel.close();
    if (listening === channel) listening = null;
  };
}
