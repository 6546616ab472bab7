import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { formatCents } from '@/lib/formats';
import { useLoader } from '@/stores/loader';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { chargeWarning } from './messages';
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
      {isAsking && command.error && <ChangeFailure error={command.error} />}
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
