import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { isPaused, namesOf } from '@/lib/plans';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { Day } from '@/ui/Day';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { CloseIcon } from '@/ui/icons/CloseIcon';
import { PauseIcon } from '@/ui/icons/PauseIcon';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { RefreshIcon } from '@/ui/icons/RefreshIcon';
import { Point, Points } from '@/ui/Points';
import { endingsOf } from './endings';
import { Failure } from './Failure';
import styles from './Panels.module.css';
import { RemainingCosts } from './RemainingCosts';
import type { Leaving } from './useLeaving';

interface CancelPanelProps {
  leaving: Leaving;
  /** `done` is what an attempt that failed has cancelled all the same. */
  cancelling: { isPending: boolean; error: Error | null; done: readonly Plan[] };
  onCancel: () => void;
}

/** What ends when, what is billed then, how to undo it, and the button that does it. */
export function CancelPanel({ leaving, cancelling, onCancel }: CancelPanelProps) {
  const { chosen, staying } = leaving;
  return (
    <Card as="section" labelledBy="cancel" className={styles.panel}>
      <h2 id="cancel">Cancel</h2>
      {chosen.length === 0 ? (
        <p>Nothing is chosen yet. Check what you want to cancel in the list above.</p>
      ) : (
        <Points label="What happens if you cancel">
          <Endings plans={chosen} />
          <SetAside what="pause" plans={chosen.filter((plan) => plan.hasScheduledPause)} />
          <SetAside what="change" plans={chosen.filter((plan) => plan.hasScheduledChange)} />
          <Point icon={<ReceiptIcon />}>Nothing more is billed for {namesOf(chosen)}.</Point>
          <Undo plans={chosen} />
          <RemainingCosts staying={staying} />
        </Points>
      )}
      {cancelling.error && <Failure error={cancelling.error} done={cancelling.done} />}
      <Button block busy={cancelling.isPending} onClick={onCancel} className={styles.button}>
        CANCEL SUBSCRIPTION(S)
      </Button>
    </Card>
  );
}

/** Which plans a date is about is said where not all end then. */
function Endings({ plans }: { plans: readonly Plan[] }) {
  const endings = endingsOf(plans);
  return endings.map(({ kind, at, plans: ending }) => {
    const names = namesOf(ending);
    const isOne = ending.length === 1;
    if (kind === 'atOnce') {
      return (
        <Point key={names} icon={<CloseIcon />}>
          {names} {isOne ? 'is' : 'are'} paused and {isOne ? 'ends' : 'end'}{' '}
          <strong>at once</strong>.
        </Point>
      );
    }
    return (
      <Point key={names} icon={<CalendarIcon />}>
        Your access {endings.length > 1 && `to ${names} `}continues until{' '}
        {at ? <Day dateTime={at}>{formatDate(at)}</Day> : 'the end of your billing cycle'}
        {kind === 'trial' && ', when your trial ends'}.
      </Point>
    );
  });
}

/** What was scheduled does not come about; the server restores it with a cancellation taken back. */
function SetAside({ what, plans }: { what: 'pause' | 'change'; plans: readonly Plan[] }) {
  if (plans.length === 0) return null;
  return (
    <Point icon={what === 'pause' ? <PauseIcon /> : <RefreshIcon />}>
      The scheduled {what} of {namesOf(plans)} is set aside. It is scheduled again if you keep{' '}
      {plans.length === 1 ? 'it' : 'them'} after all.
    </Point>
  );
}

/** What ends at once cannot be taken back; everything else can, until it ends. */
function Undo({ plans }: { plans: readonly Plan[] }) {
  return (
    <Point icon={<RefreshIcon />}>
      {plans.some(isPaused)
        ? 'What ends at once cannot be taken back, but you can start it again any time.'
        : 'You can take this back any time before then.'}
    </Point>
  );
}
