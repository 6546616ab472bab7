import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';
import { useAlert } from '@/stores/alert';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import styles from './AlertSlot.module.css';

/** The global notice above the screen. It closes on navigation. */
export function AlertSlot() {
  const { open, openError, message, callback, alertOperation, close } = useAlert();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes it.
  useEffect(() => close, [pathname, close]);
  if (!open && !openError) return null;
  return (
    <div className={styles.slot}>
      <InfoAlert
        tone={openError ? 'error' : 'info'}
        onAction={callback ?? undefined}
        actionText={alertOperation ?? undefined}
        onDismiss={close}
      >
        {message}
      </InfoAlert>
    </div>
  );
}
