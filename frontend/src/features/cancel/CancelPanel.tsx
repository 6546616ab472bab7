import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { useHasUnbilledCharges, useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import { endsAtOnce, formatPlanNames, isSold, setAsideSentence } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { Point, Points } from '@/ui/display/Points';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { CloseIcon } from '@/ui/icons/CloseIcon';
import { PauseIcon } from '@/ui/icons/PauseIcon';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { RefreshIcon } from '@/ui/icons/RefreshIcon';
import { Card } from '@/ui/layout/Card';
import { ImportantDate } from '@/ui/text/ImportantDate';
import { endsAtOncePhrase, exceptionPhrase, groupEndings } from './endingMessages';
import styles from './Panels.module.css';
import { RemainingCosts } from './RemainingCosts';
import type { CancelSelection } from './useCancelSelection';

interface CancelPanelProps {
  selection: CancelSelection;
  /** `cancelledPlans` are those that a failed attempt canceled anyway. */
  cancellation: { isPending: boolean; error: Error | null; cancelledPlans: readonly Plan[] };
  onCancel: () => void;
}

/** What ends when, what is billed, how to undo it, and the cancel button. */
export function CancelPanel({ selection, cancellation, onCancel }: CancelPanelProps) {
  const { chosen, staying } = selection;
  return (
    <Card as="section" labelledBy="cancel" className={styles.panel}>
      <h2 id="cancel">Cancel</h2>
      {chosen.length === 0 ? (
        <p>Select what you’d like to cancel.</p>
      ) : (
        <Points label="What happens if you cancel">
          <EndingPoints plans={chosen} />
          <SetAsidePoint what="pause" plans={chosen.filter((plan) => plan.hasScheduledPause)} />
          <SetAsidePoint what="change" plans={chosen.filter((plan) => plan.hasScheduledChange)} />
          <ChargePoints plans={chosen} />
          <UndoPoint plans={chosen} />
          <RemainingCosts chosen={chosen} staying={staying} />
        </Points>
      )}
      {cancellation.error && (
        <ChangeFailure error={cancellation.error}>
          <CancelledPlans plans={cancellation.cancelledPlans} />
        </ChangeFailure>
      )}
      <Button block busy={cancellation.isPending} onClick={onCancel} className={styles.button}>
        CANCEL SUBSCRIPTION(S)
      </Button>
    </Card>
  );
}

/** Which plans were canceled although the attempt failed. */
function CancelledPlans({ plans }: { plans: readonly Plan[] }) {
  if (plans.length === 0) return null;
  return (
    <p>
      {formatPlanNames(plans)} {plans.length === 1 ? 'has' : 'have'} been canceled. Press the button
      again to cancel the rest.
    </p>
  );
}

/** Names the plans of each date, unless all end on the same date. */
function EndingPoints({ plans }: { plans: readonly Plan[] }) {
  const endings = groupEndings(plans);
  return endings.map(({ kind, at, plans: ending }) => {
    const names = formatPlanNames(ending);
    const key = ending.map(({ subId }) => subId).join();
    if (kind === 'atOnce') {
      return (
        <Point key={key} icon={<CloseIcon />}>
          {endsAtOncePhrase(ending)} <strong>immediately</strong>.
        </Point>
      );
    }
    return (
      <Point key={key} icon={<CalendarIcon />}>
        Your access {endings.length > 1 && `to ${names} `}continues until{' '}
        {at ? (
          <ImportantDate dateTime={at}>{formatDate(at)}</ImportantDate>
        ) : (
          'the end of your billing cycle'
        )}
        {kind === 'trial' && ', when your trial ends'}
        {kind === 'contract' && ', when your contract ends'}.
      </Point>
    );
  });
}

/** Which plans are not billed again, and which until their contract ends. */
function ChargePoints({ plans }: { plans: readonly Plan[] }) {
  const bound = plans.filter(({ contractEndsAt }) => contractEndsAt);
  const free = plans.filter(({ contractEndsAt }) => !contractEndsAt);
  const overdue = useOverdueAmount(free);
  const hasUnbilled = useHasUnbilledCharges();
  return (
    <>
      {bound.length > 0 && (
        <Point icon={<ReceiptIcon />}>
          You’re billed for {formatPlanNames(bound)} until {bound.length === 1 ? 'its' : 'their'}{' '}
          contract ends.
        </Point>
      )}
      {free.length > 0 && (
        <Point icon={<ReceiptIcon />}>
          No more charges for {formatPlanNames(free)}
          {exceptionPhrase('except', overdue, hasUnbilled)}.
        </Point>
      )}
    </>
  );
}

function SetAsidePoint({ what, plans }: { what: 'pause' | 'change'; plans: readonly Plan[] }) {
  if (plans.length === 0) return null;
  return (
    <Point icon={what === 'pause' ? <PauseIcon /> : <RefreshIcon />}>
      {setAsideSentence(what, plans)}
    </Point>
  );
}

function UndoPoint({ plans }: { plans: readonly Plan[] }) {
  return <Point icon={<RefreshIcon />}>{undoSentence(plans)}</Point>;
}

/** An immediate end cannot be undone; everything else can, until it ends. */
function undoSentence(plans: readonly Plan[]): string {
  const ending = plans.filter(endsAtOnce);
  if (ending.length === 0) return 'You can undo this anytime before then.';
  const startable = ending.filter(isSold);
  if (startable.length === 0) return 'You can’t undo an immediate cancellation.';
  return `You can’t undo an immediate cancellation, but you can start ${formatPlanNames(startable)} again anytime.`;
}
