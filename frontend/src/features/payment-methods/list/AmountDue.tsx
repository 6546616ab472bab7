import { sourceName } from '@/domain/payments/methodNames';
import type { PaymentSource } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import { Card } from '@/ui/layout/Card';
import styles from './AmountDue.module.css';

interface AmountDueProps {
  amountDue: number;
  currencyCode: string;
  /** The default payment method, which can pay it at once. */
  payer: PaymentSource | undefined;
  onPay: (payer: PaymentSource) => void;
}

/** The amount due and how to pay it; nothing if nothing is due. */
export function AmountDue({ amountDue, currencyCode, payer, onPay }: AmountDueProps) {
  if (amountDue <= 0) return null;
  const amount = formatCents(amountDue, currencyCode);
  return (
    <Card as="section" labelledBy="amount-due" className={styles.due}>
      <div className={styles.head}>
        <AlertIcon />
        <h2 id="amount-due">You owe {amount}</h2>
      </div>
      <p>
        {payer
          ? `Pay it now with ${sourceName(payer)}. Adding or choosing another payment method charges it too.`
          : 'Adding a payment method charges it.'}{' '}
        We’ll confirm first.
      </p>
      {payer && <Button onClick={() => onPay(payer)}>Pay {amount} now</Button>}
    </Card>
  );
}
