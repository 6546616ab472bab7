import { useId } from 'react';

import type { ChargebeeInstance, PaymentIntent } from '@/lib/chargebee';
import { Skeleton } from '@/ui/Skeleton';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import styles from './PayPalButton.module.css';
import { TryEnded } from './TryEnded';
import { usePayPal } from './usePayPal';

interface PayPalButtonProps {
  /** Null while the provider's script is on its way. */
  instance: ChargebeeInstance | null;
  onAgreed: (intent: PaymentIntent) => void;
  onTryAgain: () => void;
}

/** One try to agree with PayPal: its button, and how the try ended. */
export function PayPalButton({ instance, onAgreed, onTryAgain }: PayPalButtonProps) {
  const place = `paypal-${useId().replaceAll(/\W/g, '')}`;
  const step = usePayPal({ instance, place, onAgreed });
  if (step.at === 'ended') {
    return <TryEnded words={step.words} tone={step.tone} onTryAgain={onTryAgain} />;
  }
  const isAwaited = step.at === 'preparing';
  return (
    <>
      <div className={styles.place}>
        {isAwaited && <Skeleton height="2.75rem" radius="pill" />}
        <div id={place} hidden={step.at === 'agreed'} />
      </div>
      <div role="status" className={styles.status}>
        {isAwaited && <VisuallyHidden>Loading the PayPal button…</VisuallyHidden>}
        {step.at === 'agreed' && 'Done at PayPal.'}
      </div>
    </>
  );
}
