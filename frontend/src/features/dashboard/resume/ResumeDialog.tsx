import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { createReceiptState, resumedSentences } from '@/domain/changes/receipts';
import { billSentences } from '@/domain/costs/nextBills';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { ConfirmWithBankButton } from '@/domain/payments/ConfirmWithBankButton';
import type { DeclinedCharge } from '@/domain/payments/declinedCharge';
import { useChargedMethod } from '@/domain/payments/useChargedMethod';
import { hasCode } from '@/lib/api/errors';
import { managePlansOptions } from '@/lib/api/queries';
import type { NextBill, Plan, ResumeEstimate } from '@/lib/api/types';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { formatCents, formatPrice } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { useLoader } from '@/stores/loader';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { MoneyRow, Totals } from '@/ui/display/Totals';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Skeleton } from '@/ui/loading/Skeleton';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { resumeEstimateOptions } from './api';
import { useResume } from './useResume';

interface ResumeDialogProps {
  plan: Plan;
  open: boolean;
  onClose: () => void;
}

/** Shows the charge for resuming now, and resumes only after confirmation. */
export function ResumeDialog({ plan, open, onClose }: ResumeDialogProps) {
  const estimate = useQuery({ ...resumeEstimateOptions(plan.subId), enabled: open });
  const navigate = useNavigate();
  // The overlay with this note is behind the dialog, so the dialog repeats it.
  const loaderNote = useLoader(({ message }) => message);
  const resumeCommand = useResume(plan, (plans) => {
    onClose();
    const { amountDue = 0, currencyCode = plan.currencyCode } = estimate.data ?? {};
    const charged = { amountDue, currencyCode };
    const sentences = plans.flatMap((resumed) => resumedSentences(resumed, charged));
    void navigate(paths.dashboard, { replace: true, state: createReceiptState(sentences, plans) });
  });
  // Refetched figures may differ from the previous ones, so none are shown meanwhile.
  const figures = estimate.isFetching ? undefined : estimate.data;
  const failure = findLoadFailure(estimate);
  return (
    <ConfirmModal
      open={open}
      title={`Resume ${plan.name} now?`}
      confirmBtnText={
        figures && figures.amountDue > 0
          ? `Resume and pay ${formatCents(figures.amountDue, figures.currencyCode)}`
          : 'Resume now'
      }
      cancelBtnText="Not now"
      confirmDisabled={!figures}
      busy={resumeCommand.isPending}
      busyNote={loaderNote}
      onConfirm={() => figures && resumeCommand.mutate({ subId: plan.subId, quote: figures.quote })}
      onCancel={() => {
        resumeCommand.reset();
        onClose();
      }}
    >
      {resumeCommand.isError && (
        <ResumeFailure
          error={resumeCommand.error}
          charge={figures ? resumeCharge(plan, figures) : null}
        />
      )}
      {failure && <ErrorState {...failure} />}
      {!failure && !figures && <FiguresSkeleton />}
      {figures && <ResumeFigures plan={plan} figures={figures} />}
      <AgreementLinks />
    </ConfirmModal>
  );
}

function resumeCharge(
  plan: Plan,
  { charges, currencyCode, quote }: ResumeEstimate,
): DeclinedCharge | null {
  if (charges.length === 0) return null;
  return {
    path: '/api/account/resume',
    body: { subscriptionId: [plan.subId], quote },
    amounts: charges,
    currencyCode,
    doneMessage: `${plan.name} is active again.`,
  };
}

interface ResumeFailureProps {
  error: Error;
  charge: DeclinedCharge | null;
}

function ResumeFailure({ error, charge }: ResumeFailureProps) {
  const isDeclined = hasCode(error, 'payment_processing_failed');
  return (
    <ChangeFailure error={error}>
      {isDeclined && charge && <ConfirmWithBankButton charge={charge} />}
    </ChangeFailure>
  );
}

function FiguresSkeleton() {
  return (
    <div role="status">
      <VisuallyHidden>Calculating your total…</VisuallyHidden>
      <Skeleton height="6rem" radius="box" />
    </div>
  );
}

function ResumeFigures({ plan, figures }: { plan: Plan; figures: ResumeEstimate }) {
  const isCharged = figures.amountDue > 0;
  const { data: costs } = useQuery(managePlansOptions);
  const isOfPlan = ({ plans }: NextBill) => plans.includes(plan.subId);
  const bills = figures.nextBills.filter(isOfPlan);
  // A plan that is paused until it is resumed has no bill among the present ones.
  const method = useChargedMethod(
    bills.length > 0 ? bills : (costs?.nextBills.filter(isOfPlan) ?? []),
  );
  const dueNote = method ? `taxes included, charged to ${method}` : 'taxes included';
  return (
    <>
      <p>
        {isCharged
          ? `You can watch ${plan.name} again right away, and a new billing period starts today.`
          : `You can watch ${plan.name} again right away. You won’t be charged today.`}
      </p>
      <Totals>
        <MoneyRow label="Regular price" amount={formatPrice(plan.amount, plan)} />
        <MoneyRow
          kind="total"
          label="Due today"
          amount={formatCents(figures.amountDue, figures.currencyCode)}
          note={isCharged ? dueNote : undefined}
        />
      </Totals>
      {figures.nextBills.length > 0 && (
        <p>
          <UnbrokenDates>
            {billSentences(figures.nextBills, { isNamed: true }).join(' ')}
          </UnbrokenDates>
        </p>
      )}
    </>
  );
}
