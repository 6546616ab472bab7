import { useQuery } from '@tanstack/react-query';
import { paymentFailureOptions } from '@/lib/api/queries';
import { formatCents, formatList } from '@/lib/formats';

/** What is owed already: a change of plans does not pay it. Nothing if nothing is owed. */
export function StillOwed() {
  const { data: failure } = useQuery(paymentFailureOptions);
  const owed = failure?.failedPayments ?? [];
  if (owed.length === 0) return null;
  const amounts = owed.map(({ amountDue, currencyCode, plans }) => {
    const amount = formatCents(amountDue, currencyCode);
    return plans.length > 0 ? `${amount} for ${formatList(plans)}` : amount;
  });
  return <p>You still owe {formatList(amounts)}. This change doesn’t pay it.</p>;
}
