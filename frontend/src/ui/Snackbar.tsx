import { useEffect, useState } from 'react';

import { classNames } from '@/ui/classNames';
import { AlertIcon, CheckIcon, CloseIcon } from '@/ui/icons/icons';
import styles from '@/ui/Snackbar.module.css';

const SHOWN_FOR_MS = 10_000;

interface SnackbarProps {
  visible: boolean;
  content: string;
  severity: 'success' | 'warning' | 'error';
  /** Moves with every message, so that the ten seconds start again. */
  sequence: number;
  onHide: () => void;
}

/** Hides the message after ten seconds in which nobody pointed at it. */
function useAutoHide({ visible, sequence, onHide }: SnackbarProps, held: boolean) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message starts the time again.
  useEffect(() => {
    if (!visible || held) return;
    const timer = setTimeout(onHide, SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [visible, held, sequence, onHide]);
}

/** A short message at the bottom centre. Its live region is always there, so that it is read out. */
export function Snackbar(props: SnackbarProps) {
  const { visible, content, severity, sequence, onHide } = props;
  const [held, setHeld] = useState(false);
  useAutoHide(props, held);
  return (
    <div role={severity === 'error' ? 'alert' : 'status'} className={styles.place}>
      {visible && (
        // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only gives time to read.
        <div
          key={sequence}
          className={classNames(styles.snackbar, styles[severity])}
          onMouseEnter={() => setHeld(true)}
          onMouseLeave={() => setHeld(false)}
        >
          {severity === 'success' ? <CheckIcon /> : <AlertIcon />}
          <span className={styles.content}>{content}</span>
          <button
            type="button"
            className={styles.close}
            onClick={onHide}
            aria-label="Dismiss message"
          >
            <CloseIcon />
          </button>
        </div>
      )}
    </div>
  );
}
