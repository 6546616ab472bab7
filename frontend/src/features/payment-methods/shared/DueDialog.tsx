import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { hasCode, isUnconfirmed } from '@/lib/api/errors';
import { formatCents } from '@/lib/formats';
import { useLoader } from '@/stores/loader';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { chargeWarning, failureMessage } from './messages';
import type { PaymentChange } from './usePaymentChange';

interface DueDialogProps {
  change: PaymentChange;
  /** The payment method's name within a sentence. */
  name: string;
  /** Another effect of the change. */
  children: string;
}

/** Asks for confirmation before charging the amount due, and again if it has changed. */
export function DueDialog({ change, name, children }: DueDialogProps) {
  const { command, question, isAsking, confirm, cancel } = change;
  const loaderNote = useLoader(({ message }) => message);
  const amountDue = question?.amountDue ?? 0;
  const isCharged = amountDue > 0;
  const amount = formatCents(amountDue, question?.currencyCode);
  return (
    <ConfirmModal
      open={isAsking}
      title={isCharged ? `Pay ${amount} now?` : 'You’re all paid up'}
      confirmBtnText={isCharged ? `YES, PAY ${amount}` : 'YES, CONTINUE'}
      busy={command.isPending}
      busyNote={loaderNote}
      onConfirm={confirm}
      onCancel={cancel}
    >
      {isAsking && command.error && <FailureInDialog error={command.error} />}
      <p>
        {isCharged ? (
          <>
            <strong>{chargeWarning(amountDue, question?.currencyCode)}</strong> to {name}.{' '}
            {children}
          </>
        ) : (
          'You won’t be charged now. Do you still want to continue?'
        )}
      </p>
      <AgreementLinks />
    </ConfirmModal>
  );
}

/** A changed amount and an unconfirmed change are shown as information, not as failures. */
function FailureInDialog({ error }: { error: Error }) {
  const isInfo = hasCode(error, 'quote_changed') || isUnconfirmed(error);
  return <InfoAlert tone={isInfo ? 'info' : 'error'}>{failureMessage(error)}</InfoAlert>;
}
