import { useEffect, useState } from 'react';

import { classNames } from '@/ui/classNames';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { CloseIcon } from '@/ui/icons/CloseIcon';
import styles from '@/ui/Snackbar.module.css';

const SHOWN_FOR_MS = 10_000;

interface MessageProps {
  content: string;
  severity: 'success' | 'warning' | 'error';
  onHide: () => void;
}

interface SnackbarProps extends MessageProps {
  visible: boolean;
  /** Moves with every message, so that the same words twice are said and timed twice. */
  sequence: number;
}

/** A short message at the bottom centre. Its live region is always there, so that it is read out. */
export function Snackbar({ visible, sequence, ...message }: SnackbarProps) {
  return (
    <div role={message.severity === 'error' ? 'alert' : 'status'} className={styles.place}>
      {visible && <Message key={sequence} {...message} />}
    </div>
  );
}

/** Hides itself after ten seconds in which nobody pointed at it and it did not have the focus. */
function Message({ content, severity, onHide }: MessageProps) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(onHide, SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [held, onHide]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it or going there only gives time to read.
    <div
      className={classNames(styles.snackbar, styles[severity])}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {severity === 'success' ? <CheckIcon /> : <AlertIcon />}
      <span className={styles.content}>{content}</span>
      <button type="button" className={styles.close} onClick={onHide} aria-label="Dismiss message">
        <CloseIcon />
      </button>
    </div>
  );
}
