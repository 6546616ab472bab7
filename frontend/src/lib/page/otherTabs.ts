import type { QueryClient } from '@tanstack/react-query';

import { queryKeys } from '@/lib/api/queries';

/** The channel between the tabs of a browser. Its messages contain no account data. */
const CHANNEL = 'account-changed';

/**
 * This tab's own channel. A message sent through it does not reach this tab, which updates itself
 * after a change.
 */
let ownChannel: BroadcastChannel | null = null;

/** Notifies the other tabs that the account may have changed. */
export function notifyOtherTabs(): void {
  const channel = ownChannel ?? new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  if (channel !== ownChannel) channel.close();
}

/**
 * Refetches the account's queries when another tab has changed the account. Returns an unsubscribe
 * function.
 */
export function refreshOnOtherTabChange(queryClient: QueryClient): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => void queryClient.invalidateQueries({ queryKey: queryKeys.account.all });
  ownChannel = channel;
  return () => {
    channel.close();
    if (ownChannel === channel) ownChannel = null;
  };
}
