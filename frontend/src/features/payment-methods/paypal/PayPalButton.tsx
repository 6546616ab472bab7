import { useId } from 'react';

import type { ChargebeeInstance, PaymentIntent } from '@/lib/chargebee/types';
import { Skeleton } from '@/ui/loading/Skeleton';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { PayPalAttemptEnd } from './PayPalAttemptEnd';
import styles from './PayPalButton.module.css';
import { usePayPalAttempt } from './usePayPalAttempt';

interface PayPalButtonProps {
  /** Null while the provider's script is loading. */
  instance: ChargebeeInstance | null;
  onAgreed: (intent: PaymentIntent) => void;
  onTryAgain: () => void;
}

/** One attempt with PayPal: its button, or the outcome. */
export function PayPalButton({ instance, onAgreed, onTryAgain }: PayPalButtonProps) {
  const elementId = `paypal-${useId().replaceAll(/\W/g, '')}`;
  const step = usePayPalAttempt({ instance, elementId, onAgreed });
  if (step.at === 'ended') {
    return <PayPalAttemptEnd message={step.message} tone={step.tone} onTryAgain={onTryAgain} />;
  }
  const isLoading = step.at === 'preparing';
  return (
    <>
      <div className={styles.place}>
        {isLoading && <Skeleton height="2.75rem" radius="pill" />}
        <div id={elementId} hidden={step.at === 'agreed'} />
      </div>
      <div role="status" className={styles.status}>
        {isLoading && <VisuallyHidden>Loading the PayPal button…</VisuallyHidden>}
        {step.at === 'agreed' && 'Approved at PayPal.'}
      </div>
    </>
  );
}
