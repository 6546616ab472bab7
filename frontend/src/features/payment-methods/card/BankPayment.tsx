import { useLocation } from 'react-router-dom';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { readDeclinedCharge } from '@/domain/payments/declinedCharge';
import { addAddress } from '@/domain/payments/paymentSources';
import { CHECKING_WITH_BANK } from '@/features/payment-methods/shared/bankAuthorization';
import { CurrentMethod } from '@/features/payment-methods/shared/CurrentMethod';
import { FormActions } from '@/features/payment-methods/shared/FormActions';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { ProviderFailure } from '@/features/payment-methods/shared/ProviderFailure';
import { useChargebee } from '@/features/payment-methods/shared/useChargebee';
import type { PaymentSource } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { Button, ButtonLink } from '@/ui/buttons/Button';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { useBankPayment } from './useBankPayment';

interface BankPaymentProps {
  source: PaymentSource;
  amountDue: number;
  currencyCode: string;
  quote: string;
}

/**
 * Pays the amount due, or the declined charges of a change, with a stored card, whose bank may ask the
 * payer to confirm each.
 */
export function BankPayment({ source, amountDue, currencyCode, quote }: BankPaymentProps) {
  const { instance, isFailed, retry } = useChargebee();
  const { state } = useLocation();
  const charge = readDeclinedCharge(state);
  const payment = useBankPayment(source, quote, charge);
  const charges = charge?.amounts ?? [];
  const cents = charge ? charges.reduce((sum, each) => sum + each, 0) : amountDue;
  const amount = formatCents(cents, charge?.currencyCode ?? currencyCode);
  return (
    <div className={styles.form}>
      <CurrentMethod source={source} />
      <p>
        {charge &&
          !payment.isOver &&
          `${askSentence(amount, charges.length)} We’ll make your change then.`}
        {!charge &&
          amountDue > 0 &&
          `You owe ${amount}. Your bank may ask you to confirm the payment.`}
        {/* The change is not known after another sign-in. */}
        {cents <= 0 &&
          'You’re all paid up. If you were confirming a change, check in your account whether it was made.'}
      </p>
      {isFailed && <ProviderFailure onRetry={retry} />}
      {payment.authorizing > 0 && (
        <InfoAlert>
          {charges.length > 1 && `Payment ${payment.authorizing} of ${charges.length}. `}
          {CHECKING_WITH_BANK}
        </InfoAlert>
      )}
      {payment.failure && (
        <InfoAlert tone={payment.failure.tone}>{payment.failure.message}</InfoAlert>
      )}
      <FormActions>
        {(payment.isOver || cents <= 0) && (
          <ButtonLink to={paths.dashboard} block>
            Go to your account
          </ButtonLink>
        )}
        {cents > 0 && !isFailed && !payment.isOver && (
          <Button
            onClick={() => instance && void payment.pay(instance)}
            busy={payment.isBusy || !instance}
            block
          >
            Pay {amount} now
          </Button>
        )}
        {!charge && amountDue > 0 && (
          <ButtonLink variant="secondary" {...addAddress('CARD')} block>
            Use another card
          </ButtonLink>
        )}
      </FormActions>
      <AgreementLinks />
    </div>
  );
}

function askSentence(amount: string, count: number): string {
  if (count === 1) return `Your bank may ask you to confirm the payment of ${amount}.`;
  return `The total of ${amount} is ${count} payments. Your bank may ask you to confirm each.`;
}
