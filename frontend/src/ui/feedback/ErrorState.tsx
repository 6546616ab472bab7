import { type RefObject, useLayoutEffect, useRef } from 'react';
import { Button } from '@/ui/buttons/Button';
import { focusHeading } from '@/ui/focusHeading';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import { RefreshIcon } from '@/ui/icons/RefreshIcon';
import styles from './StatePanel.module.css';

interface ErrorStateProps {
  title?: string;
  /** The server's error message. */
  message: string;
  onRetry: () => void;
  retrying?: boolean;
}

/** Focuses the heading if the focused retry button unmounts after a successful retry. */
function useFocusHeadingOnRemoval(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      if (document.activeElement === current) focusHeading(current);
    };
  }, []);
  return button;
}

/** The error state of a load, with a retry button. */
export function ErrorState({
  title = 'We couldn’t load this',
  message,
  onRetry,
  retrying = false,
}: ErrorStateProps) {
  const button = useFocusHeadingOnRemoval();
  return (
    <div role="alert" className={styles.state}>
      <span className={styles.alarm}>
        <AlertIcon />
      </span>
      <p className={styles.title}>{title}</p>
      <p className={styles.text}>{message}</p>
      <p className={styles.text}>This doesn’t affect your subscriptions.</p>
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
