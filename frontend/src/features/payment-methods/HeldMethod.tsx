import type { PaymentSource } from '@/lib/api/types';
import { kindOf } from '@/lib/paymentSources';
import { CardBrandMark } from '@/ui/icons/CardBrandMark';
import styles from './PaymentForm.module.css';
import { expiryWords, sourceName } from './words';

/** The payment method that a form is about to change. */
export function HeldMethod({ source }: { source: PaymentSource }) {
  const detail = kindOf(source) === 'PAYPAL' ? null : expiryWords(source);
  return (
    <div className={styles.held}>
      <CardBrandMark brand={source.brand} decorative />
      <p className={styles.heldWords}>
        <span className={styles.heldName}>{sourceName(source)}</span>{' '}
        {detail && <span className={styles.muted}>{detail}</span>}
      </p>
    </div>
  );
}
