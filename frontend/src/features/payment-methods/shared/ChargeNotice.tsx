import { InfoAlert } from '@/ui/InfoAlert';
import { chargeWarning } from './messages';

interface ChargeNoticeProps {
  amountDue: number;
  /** When the charge happens: 'when you add the card'. */
  when: string;
}

/** Announces that the amount due will be charged; nothing if nothing is due. */
export function ChargeNotice({ amountDue, when }: ChargeNoticeProps) {
  if (amountDue <= 0) return null;
  return (
    <InfoAlert>
      <strong>{chargeWarning(amountDue)}</strong> {when}. We’ll confirm first.
    </InfoAlert>
  );
}
