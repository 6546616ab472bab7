import type { QueryClient } from '@tanstack/react-query';

import { refetchAccount } from '@/lib/api/refetchAccount';
import { useAuth } from '@/stores/auth';

/** The channel between the tabs of a browser. Its messages contain no account data. */
const CHANNEL = 'account-changed';

/** Sent after a switch to another customer, which all tabs make together, since they share the token. */
const SWITCHED = 'switched';

/**
 * This tab's own channel. A message sent through it does not reach this tab, which updates itself
 * after a change.
 */
let ownChannel: BroadcastChannel | null = null;

/** Notifies the other tabs that the account may have changed. */
export function notifyOtherTabs(): void {
  sendMessage(null);
}

/** Notifies the other tabs that the session has continued in another customer. */
export function notifyOtherTabsOfSwitch(): void {
  sendMessage(SWITCHED);
}

function sendMessage(message: typeof SWITCHED | null): void {
  const channel = ownChannel ?? new BroadcastChannel(CHANNEL);
  channel.postMessage(message);
  if (channel !== ownChannel) channel.close();
}

/**
 * Refetches the account's queries when another tab has changed the account, or follows it to another
 * customer. Returns an unsubscribe function.
 */
export function refreshOnOtherTabChange(queryClient: QueryClient): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => {
    if (data === SWITCHED) useAuth.getState().switchCustomer();
    else refetchAccount(queryClient);
  };
  ownChannel = channel;
  return () => {
    channel.close();
    if (ownChannel === channel) ownChannel = null;
  };
}
