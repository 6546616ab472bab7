import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

import { InfoAlert } from '@/ui/feedback/InfoAlert';
import styles from './AlertSlot.module.css';

const subscribeToConnection = (onChange: () => void) => onlineManager.subscribe(onChange);

/** A notice above every screen while the browser is offline. */
export function ConnectionNotice() {
  const isOnline = useSyncExternalStore(subscribeToConnection, () => onlineManager.isOnline());
  if (isOnline) return null;
  return (
    <div className={styles.slot}>
      <InfoAlert>
        You’re offline, and this page may be out of date. Anything you typed is still here. Try
        again when you’re connected.
      </InfoAlert>
    </div>
  );
}
