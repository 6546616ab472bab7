import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

import { InfoAlert } from '@/ui/InfoAlert';
import styles from './AlertSlot.module.css';

const follow = (changed: () => void) => onlineManager.subscribe(changed);

/** Says above every screen that there is no connection, for as long as there is none. */
export function ConnectionNotice() {
  const online = useSyncExternalStore(follow, () => onlineManager.isOnline());
  if (online) return null;
  return (
    <div className={styles.slot}>
      <InfoAlert>
        You are offline. What you see may be out of date. Nothing you have entered is lost; try
        again once you are connected.
      </InfoAlert>
    </div>
  );
}
