import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';

import { Button } from '@/ui/Button';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import { RefreshIcon } from '@/ui/icons/RefreshIcon';
import styles from '@/ui/States.module.css';

interface EmptyStateProps {
  icon?: ReactNode;
  title?: string;
  children: ReactNode;
  /** The one way on. */
  action?: ReactNode;
}

/** What would be here, and one way on. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.state}>
      {icon && <span className={styles.icon}>{icon}</span>}
      {title && <p className={styles.title}>{title}</p>}
      <p className={styles.words}>{children}</p>
      {action}
    </div>
  );
}

interface ErrorStateProps {
  title?: string;
  /** What went wrong, in the server's words. */
  message: string;
  onRetry: () => void;
  retrying?: boolean;
}

/** Hands the focus to the screen's heading when the button that holds it goes, since trying again worked. */
function useFocusHandedOn(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      if (document.activeElement === current) document.querySelector('h1')?.focus();
    };
  }, []);
  return button;
}

/** What could not be shown, that nothing was lost, and a button to try again. */
export function ErrorState({
  title = 'We couldn’t load this',
  message,
  onRetry,
  retrying = false,
}: ErrorStateProps) {
  const button = useFocusHandedOn();
  return (
    <div role="alert" className={styles.state}>
      <span className={styles.alarm}>
        <AlertIcon />
      </span>
      <p className={styles.title}>{title}</p>
      <p className={styles.words}>{message}</p>
      <p className={styles.words}>Nothing about your subscriptions has changed.</p>
      <Button
        ref={button}
        variant="secondary"
        busy={retrying}
        icon={<RefreshIcon />}
        onClick={onRetry}
      >
        Try again
      </Button>
    </div>
  );
}
