import type { PaymentSource } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import styles from './AmountDue.module.css';
import { sourceName } from './words';

interface AmountDueProps {
  amountDue: number;
  /** What it can be paid with at once: the default. */
  payer: PaymentSource | undefined;
  onPay: (payer: PaymentSource) => void;
}

/** What is due and how it gets paid; nothing while nothing is. */
export function AmountDue({ amountDue, payer, onPay }: AmountDueProps) {
  if (amountDue <= 0) return null;
  const amount = formatCents(amountDue);
  return (
    <Card as="section" labelledBy="amount-due" className={styles.due}>
      <div className={styles.head}>
        <AlertIcon />
        <h2 id="amount-due">You have {amount} due</h2>
      </div>
      <p>
        {payer
          ? `Pay it now with ${sourceName(payer)}. It is charged too when you add another payment method, or choose another one.`
          : 'It is charged when you add a payment method.'}{' '}
        We always ask you first.
      </p>
      {payer && <Button onClick={() => onPay(payer)}>Pay {amount} now</Button>}
    </Card>
  );
}
