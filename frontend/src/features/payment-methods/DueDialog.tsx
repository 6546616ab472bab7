import { hasCode, isUnconfirmed } from '@/lib/errors';
import { formatCents } from '@/lib/formats';
import { useLoader } from '@/stores/loader';
import { ConfirmModal } from '@/ui/ConfirmModal';
import { InfoAlert } from '@/ui/InfoAlert';
import { Legal } from './Legal';
import type { PaymentChange } from './usePaymentChange';
import { failureWords, willBeCharged } from './words';

interface DueDialogProps {
  change: PaymentChange;
  /** What is charged, as it is named in a sentence. */
  name: string;
  /** What else comes of it. */
  children: string;
}

/** Asks before what is due is charged, and says by how much that has changed since. */
export function DueDialog({ change, name, children }: DueDialogProps) {
  const { command, asked, isAsking, confirm, cancel } = change;
  const note = useLoader(({ message }) => message);
  const amountDue = asked?.amountDue ?? 0;
  const isCharged = amountDue > 0;
  return (
    <ConfirmModal
      open={isAsking}
      title={isCharged ? `Pay ${formatCents(amountDue)} now?` : 'Nothing is due any more'}
      confirmBtnText={isCharged ? `YES, PAY ${formatCents(amountDue)}` : 'YES, GO ON'}
      busy={command.isPending}
      busyNote={note}
      onConfirm={confirm}
      onCancel={cancel}
    >
      {isAsking && command.error && <News error={command.error} />}
      <p>
        {isCharged ? (
          <>
            <strong>{willBeCharged(amountDue)}</strong> to {name}. {children}
          </>
        ) : (
          'Nothing will be charged now. Do you want to go on all the same?'
        )}
      </p>
      <Legal />
    </ConfirmModal>
  );
}

/** Another amount, and a change still being confirmed, are news and no failure. */
function News({ error }: { error: Error }) {
  const isNews = hasCode(error, 'quote_changed') || isUnconfirmed(error);
  return <InfoAlert tone={isNews ? 'info' : 'error'}>{failureWords(error)}</InfoAlert>;
}
