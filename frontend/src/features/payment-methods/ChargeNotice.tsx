import { InfoAlert } from '@/ui/InfoAlert';
import { willBeCharged } from './words';

interface ChargeNoticeProps {
  amountDue: number;
  /** What brings the charge about: 'as soon as you have added it'. */
  when: string;
}

/** Says beforehand that what is due is charged; nothing while nothing is. */
export function ChargeNotice({ amountDue, when }: ChargeNoticeProps) {
  if (amountDue <= 0) return null;
  return (
    <InfoAlert>
      <strong>{willBeCharged(amountDue)}</strong>, {when}. We ask you once more before that.
    </InfoAlert>
  );
}
