import { useEffect, useRef } from 'react';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { Button } from '@/ui/buttons/Button';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { isFocusLost } from '@/ui/lostFocus';

interface PayPalAttemptEndProps {
  message: string;
  tone: 'info' | 'error';
  onTryAgain: () => void;
}

/** The end of an attempt with PayPal, and a button to try again. */
export function PayPalAttemptEnd({ message, tone, onTryAgain }: PayPalAttemptEndProps) {
  const button = useRef<HTMLButtonElement>(null);
  // PayPal's button had the focus and is gone.
  useEffect(() => {
    if (isFocusLost()) button.current?.focus();
  }, []);
  return (
    <div className={styles.actions}>
      <InfoAlert tone={tone}>{message}</InfoAlert>
      <Button ref={button} onClick={onTryAgain} block>
        Try again
      </Button>
    </div>
  );
}
