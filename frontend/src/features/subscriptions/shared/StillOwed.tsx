import { useQuery } from '@tanstack/react-query';
import { paymentFailureOptions } from '@/lib/api/queries';
import type { FailedPayment, PeriodEstimate } from '@/lib/api/types';
import { formatCents, formatList } from '@/lib/formats';

type Adjusted = Pick<PeriodEstimate, 'adjustments' | 'dueCurrencyCode'>;

interface StillOwedProps {
  /** What the change takes off unpaid invoices; nothing if left out. */
  adjusted?: Adjusted;
}

/** What is owed already: a change of plans does not pay it. Nothing if nothing is owed. */
export function StillOwed({ adjusted }: StillOwedProps) {
  const { data: failure } = useQuery(paymentFailureOptions);
  const owed = failure?.failedPayments ?? [];
  if (owed.length === 0) return null;
  const amounts = owed.map(({ amountDue, currencyCode, plans }) => {
    const amount = formatCents(amountDue, currencyCode);
    return plans.length > 0 ? `${amount} for ${formatList(plans)}` : amount;
  });
  return (
    <p>
      You still owe {formatList(amounts)}. {describeOutcome(owed, adjusted)}
    </p>
  );
}

function describeOutcome(owed: readonly FailedPayment[], adjusted?: Adjusted): string {
  if (!adjusted?.adjustments) return 'This change doesn’t pay it.';
  const { adjustments, dueCurrencyCode } = adjusted;
  const total = owed.reduce((sum, { amountDue }) => sum + amountDue, 0);
  const rest = adjustments < total ? ', and doesn’t pay the rest' : '';
  return `This change takes ${formatCents(adjustments, dueCurrencyCode)} off it for the days that are left${rest}.`;
}
