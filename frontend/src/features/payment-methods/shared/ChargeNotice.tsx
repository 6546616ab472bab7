import { useQuery } from '@tanstack/react-query';
import { paymentsOptions } from '@/lib/api/queries';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { chargeWarning } from './messages';

interface ChargeNoticeProps {
  amountDue: number;
  /** When the charge happens: 'when you add the card'. */
  when: string;
}

/** Announces that the amount due will be charged; nothing if nothing is due. */
export function ChargeNotice({ amountDue, when }: ChargeNoticeProps) {
  const { data: payments } = useQuery({ ...paymentsOptions, enabled: false });
  if (amountDue <= 0) return null;
  return (
    <InfoAlert>
      <strong>{chargeWarning(amountDue, payments?.currencyCode)}</strong> {when}. We’ll confirm
      first.
    </InfoAlert>
  );
}
