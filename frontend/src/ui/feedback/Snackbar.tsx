import { useEffect, useRef, useState } from 'react';
import { classNames } from '@/ui/classNames';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { CloseIcon } from '@/ui/icons/CloseIcon';
import styles from './Snackbar.module.css';

const SHOWN_FOR_MS = 10_000;

interface MessageProps {
  content: string;
  severity: 'success' | 'warning' | 'error';
  onHide: () => void;
}

interface SnackbarProps extends MessageProps {
  visible: boolean;
  /** Changes with every message, so that repeated text is announced and timed again. */
  sequence: number;
}

/**
 * A short message at the bottom center. Its live region is always rendered, so that the message is
 * announced.
 */
export function Snackbar({ visible, sequence, ...message }: SnackbarProps) {
  return (
    <div role={message.severity === 'error' ? 'alert' : 'status'} className={styles.place}>
      {visible && <SnackbarMessage key={sequence} {...message} />}
    </div>
  );
}

/** Hides after ten seconds without hover or focus. */
function SnackbarMessage({ content, severity, onHide }: MessageProps) {
  const [isHeld, setIsHeld] = useState(false);
  const lastFocused = useRef<EventTarget>(null);
  const dismiss = () => {
    if (lastFocused.current instanceof HTMLElement) lastFocused.current.focus();
    onHide();
  };
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(onHide, SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [isHeld, onHide]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hover and focus only extend the time to read.
    <div
      className={classNames(styles.snackbar, styles[severity])}
      onMouseEnter={() => setIsHeld(true)}
      onMouseLeave={() => setIsHeld(false)}
      onFocus={({ relatedTarget }) => {
        lastFocused.current = relatedTarget;
        setIsHeld(true);
      }}
      onBlur={() => setIsHeld(false)}
    >
      {severity === 'success' ? <CheckIcon /> : <AlertIcon />}
      <span className={styles.content}>{content}</span>
      <button type="button" className={styles.close} onClick={dismiss} aria-label="Dismiss message">
        <CloseIcon />
      </button>
    </div>
  );
}
