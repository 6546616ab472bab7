import type { ReactNode } from 'react';
import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import type { DeclinedCharge } from '@/domain/payments/declinedCharge';
import type { PlanOrder } from '@/domain/plans/planAddresses';
import { errorMessage, hasCode } from '@/lib/api/errors';
import { useLoader } from '@/stores/loader';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { Skeleton } from '@/ui/loading/Skeleton';
import { useFocusHeadingAfterClose } from '@/ui/lostFocus';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { type Estimate, EstimateFailure } from './EstimateFailure';
import { PaymentFailureDialog } from './PaymentFailureDialog';
import { Sentences } from './Sentences';
import { StillOwed } from './StillOwed';
import { useLatest } from './useLatest';
import type { usePlanChange } from './usePlanChange';

interface ChangeDialogsProps {
  change: Pick<ReturnType<typeof usePlanChange>, 'step' | 'ask' | 'close'> & {
    command: { isPending: boolean; error: Error | null };
  };
  title: string;
  /** What the change will do. */
  sentences: readonly string[];
  /** The costs; empty while they load. */
  figures: ReactNode;
  /** The change has already been made, here or elsewhere. */
  nothingLeft: boolean;
  estimate: Estimate;
  /** What is owed already, and what the change does about it. */
  owed?: ReactNode;
  warning?: ReactNode;
  confirmText: string;
  onConfirm: () => void;
  /** The change's charges, which the card's bank may accept after a decline. */
  declinedCharge?: DeclinedCharge | null;
  /** The plans that the change adds. */
  order?: PlanOrder;
}

const NO_PLANS: PlanOrder = { planIds: [], periodUnit: null };

/** The confirmation dialog of a change, and the dialog about a failed payment. */
export function ChangeDialogs({
  change: { step, command, ask, close },
  title,
  sentences,
  figures,
  nothingLeft,
  estimate,
  owed = <StillOwed />,
  warning,
  confirmText,
  onConfirm,
  declinedCharge = null,
  order = NO_PLANS,
}: ChangeDialogsProps) {
  const loaderNote = useLoader(({ message }) => message);
  useFocusHeadingAfterClose(step !== 'closed');
  // Keeps the message in the dialog while it closes.
  const lastError = useLatest(command.error ?? undefined);
  // The payment dialog shows the first error; the text for `nothingLeft` covers the second.
  const isShownElsewhere =
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
        busyNote={loaderNote}
        onConfirm={onConfirm}
        onCancel={close}
      >
        {command.error && !isShownElsewhere && (
          <ChangeFailure error={command.error} order={order} />
        )}
        {nothingLeft && <p>This is already done. There’s nothing left to change.</p>}
        {!nothingLeft && (figures || <FiguresPending estimate={estimate} />)}
        {!nothingLeft && figures && owed}
        <AgreementLinks />
      </ConfirmModal>
      <PaymentFailureDialog
        open={step === 'declined'}
        message={errorMessage(lastError)}
        declinedCharge={declinedCharge}
        order={order}
        onRetry={ask}
        onClose={close}
      />
    </>
  );
}

function FiguresPending({ estimate }: { estimate: Estimate }) {
  if (estimate.isError) return <EstimateFailure estimate={estimate} />;
  return (
    <div role="status">
      <VisuallyHidden>Calculating your total…</VisuallyHidden>
      <Skeleton height="8rem" radius="box" />
    </div>
  );
}
