import { CardBrandMark } from '@/domain/payments/CardBrandMark';
import { sourceName } from '@/domain/payments/methodNames';
import { sourceKind } from '@/domain/payments/paymentSources';
import type { PaymentSource } from '@/lib/api/types';
import { expiryLabel } from './messages';
import styles from './PaymentForm.module.css';

/** The payment method that a form updates. */
export function CurrentMethod({ source }: { source: PaymentSource }) {
  const detail = sourceKind(source) === 'PAYPAL' ? null : expiryLabel(source);
  return (
    <div className={styles.current}>
      <CardBrandMark brand={source.brand} decorative />
      <p className={styles.currentText}>
        <span className={styles.currentName}>{sourceName(source)}</span>{' '}
        {detail && <span className={styles.muted}>{detail}</span>}
      </p>
    </div>
  );
}
