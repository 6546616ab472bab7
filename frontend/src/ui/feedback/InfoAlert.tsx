import type { ReactNode } from 'react';
import { Button } from '@/ui/buttons/Button';
import { classNames } from '@/ui/classNames';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { CloseIcon } from '@/ui/icons/CloseIcon';
import { InfoIcon } from '@/ui/icons/InfoIcon';
import styles from './InfoAlert.module.css';

interface InfoAlertProps {
  tone?: 'info' | 'success' | 'error';
  children: ReactNode;
  /** Adds an action button. */
  onAction?: () => void;
  actionText?: string;
  /** Adds a close button. */
  onDismiss?: () => void;
}

const ICONS = { info: <InfoIcon />, success: <CheckIcon />, error: <AlertIcon /> };

/** A notice within the page. */
export function InfoAlert({
  tone = 'info',
  children,
  onAction,
  actionText = 'SAVE CHANGES',
  onDismiss,
}: InfoAlertProps) {
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={classNames(styles.alert, styles[tone])}
    >
      {ICONS[tone]}
      <div className={styles.content}>
        <div className={styles.text}>{children}</div>
        {onAction && <Button onClick={onAction}>{actionText}</Button>}
      </div>
      {onDismiss && (
        <button
          type="button"
          className={styles.close}
          onClick={onDismiss}
          aria-label="Dismiss notice"
        >
          <CloseIcon />
        </button>
      )}
    </div>
  );
}
