import { bankPaymentAddress } from '@/domain/payments/paymentSources';
import type { PaymentSource } from '@/lib/api/types';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { TextLink } from '@/ui/navigation/TextLink';

interface ChangeOutcomeProps {
  sentences: readonly string[];
  /** The change failed, or was only partly made. */
  isFailure: boolean;
  /** The card that was declined: its bank may accept the payment after asking the payer. */
  declinedCard?: PaymentSource | undefined;
}

/** The result of a change, shown until the next one. */
export function ChangeOutcome({ sentences, isFailure, declinedCard }: ChangeOutcomeProps) {
  return (
    <InfoAlert tone={isFailure ? 'error' : 'success'}>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {declinedCard && (
        <TextLink {...bankPaymentAddress(declinedCard)}>
          Confirm the payment with your bank
        </TextLink>
      )}
    </InfoAlert>
  );
}
