import type { ReactNode } from 'react';

import { CONFIRMING_MESSAGE, hasCode, isUnconfirmed, messageOf } from '@/lib/errors';
import { useLoader } from '@/stores/loader';
import { ConfirmModal } from '@/ui/ConfirmModal';
import { InfoAlert } from '@/ui/InfoAlert';
import { Skeleton } from '@/ui/Skeleton';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { type Estimate, EstimateFailure } from './EstimateFailure';
import { Legal } from './Legal';
import { PaymentFailureDialog } from './PaymentFailureDialog';
import { RefusalWords } from './RefusalWords';
import { Sentences } from './Sentences';
import type { useChange } from './useChange';
import { useKept } from './useKept';

interface ChangeDialogsProps {
  change: Pick<ReturnType<typeof useChange>, 'step' | 'ask' | 'close'> & {
    command: { isPending: boolean; error: Error | null };
  };
  title: string;
  /** What will happen. */
  sentences: readonly string[];
  /** What it costs; nothing while that is being worked out. */
  figures: ReactNode;
  /** What was asked about has been done, here or elsewhere. */
  nothingLeft: boolean;
  estimate: Estimate;
  warning?: ReactNode;
  confirmText: string;
  onConfirm: () => void;
}

/** Asks before a change is made, and says why a payment did not go through. */
export function ChangeDialogs({
  change: { step, command, ask, close },
  title,
  sentences,
  figures,
  nothingLeft,
  estimate,
  warning,
  confirmText,
  onConfirm,
}: ChangeDialogsProps) {
  const note = useLoader(({ message }) => message);
  // It stays in the dialog that is closing.
  const lastError = useKept(command.error ?? undefined);
  // The dialog about the payment says that one, and that nothing is left the other.
  const isSaid =
    hasCode(command.error, 'payment_processing_failed') ||
    (nothingLeft && hasCode(command.error, 'no_change'));
  return (
    <>
      <ConfirmModal
        open={step === 'asking'}
        title={title}
        message={figures && <Sentences sentences={sentences} />}
        warningContent={figures && warning}
        confirmBtnText={hasCode(command.error, 'billing_partial') ? 'YES, FINISH' : confirmText}
        confirmDisabled={!figures}
        busy={command.isPending}
        busyNote={note}
        onConfirm={onConfirm}
        onCancel={close}
      >
        {command.error && !isSaid && <Refusal error={command.error} />}
        {nothingLeft && <p>This has been done already. There is nothing left to change.</p>}
        {!nothingLeft && (figures || <Awaited estimate={estimate} />)}
        <Legal />
      </ConfirmModal>
      <PaymentFailureDialog
        open={step === 'declined'}
        message={messageOf(lastError)}
        onRetry={ask}
        onClose={close}
      />
    </>
  );
}

/** New figures, and a change still being confirmed, are news and no failure. */
function Refusal({ error }: { error: Error }) {
  if (isUnconfirmed(error)) return <InfoAlert>{CONFIRMING_MESSAGE}</InfoAlert>;
  const isNews = hasCode(error, 'quote_changed');
  return (
    <InfoAlert tone={isNews ? 'info' : 'error'}>
      <RefusalWords error={error} />
    </InfoAlert>
  );
}

function Awaited({ estimate }: { estimate: Estimate }) {
  if (estimate.isError) return <EstimateFailure estimate={estimate} />;
  return (
    <div role="status">
      <VisuallyHidden>Working out what you will pay…</VisuallyHidden>
      <Skeleton height="8rem" radius="box" />
    </div>
  );
}
