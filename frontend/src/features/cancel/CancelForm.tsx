import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { usePause } from '@/domain/changes/pausing';
import { PlanChoices } from '@/domain/plans/PlanChoices';
import { endsAtOnce } from '@/domain/plans/plans';
import { cancelScreenOptions, siteOptions } from '@/lib/api/queries';
import type { Plan } from '@/lib/api/types';
import { useFormDraft } from '@/lib/hooks/useFormDraft';
import type { SetFrozen } from '@/lib/hooks/useFrozen';
import { Card } from '@/ui/layout/Card';
import { useFocusHeadingIfLost } from '@/ui/lostFocus';
import { CancelBySupport } from './CancelBySupport';
import styles from './CancelForm.module.css';
import { CancelPanel } from './CancelPanel';
import { CancelPlanList } from './CancelPlanList';
import { EndNowDialog } from './EndNowDialog';
import panels from './Panels.module.css';
import { PausePanel } from './PausePanel';
import { findPauseOffer } from './pauseOffers';
import { Survey } from './Survey';
import { answeredQuestions, NO_ANSWERS } from './surveyQuestions';
import { useCancel } from './useCancel';
import type { CancelSelection } from './useCancelSelection';

/** The offer shown beside the cancel button, as reported to operators. */
const OFFER = 'pause';

interface CancelFormProps {
  selection: CancelSelection;
  setFrozen: SetFrozen;
}

/**
 * The plans, the survey, and the choice between a pause and a cancellation. A failure keeps the
 * form's contents.
 */
export function CancelForm({ selection, setFrozen }: CancelFormProps) {
  const { data: site } = useQuery(siteOptions);
  const { data: screen } = useQuery(cancelScreenOptions);
  const [answers, setAnswers] = useFormDraft('survey', NO_ANSWERS);
  const cancellation = useCancel(selection, setFrozen);
  const pauseCommand = usePause('cancel_screen', setFrozen);
  const { chosen, pausable } = selection;
  const canCancel = site?.enableCancelButton ?? true;
  const isPauseOffered = selection.canPause && (site?.pauseOfferOn ?? true);
  useFocusHeadingIfLost(isPauseOffered);

  const [isAsking, setIsAsking] = useState(false);
  const endingNow = chosen.filter(endsAtOnce);
  // What was asked about was resumed elsewhere meanwhile.
  if (isAsking && endingNow.length === 0) setIsAsking(false);
  const submit = () => {
    if (chosen.length === 0) return selection.refuse('cancel');
    if (endingNow.length > 0) return setIsAsking(true);
    cancel();
  };
  const cancel = () => {
    setIsAsking(false);
    cancellation.cancel({
      ...answeredQuestions(answers),
      offer: isPauseOffered ? OFFER : undefined,
    });
  };
  const pauseInstead = () => {
    if (chosen.length === 0) return selection.refuse('pause');
    pauseCommand.mutate({
      ids: pausable.map(subscriptionId),
      answers: answeredQuestions(answers),
    });
  };
  return (
    <div className={styles.form}>
      <div className={styles.details}>
        <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
          <h2 id="your-subscriptions">
            {selection.isChoice ? 'What would you like to cancel?' : 'Your Subscription'}
          </h2>
          <PlanChoices selection={selection}>
            <CancelPlanList selection={selection} />
          </PlanChoices>
        </Card>
        {canCancel && <Survey options={screen?.survey} answers={answers} onChange={setAnswers} />}
      </div>
      <div className={panels.panels}>
        {isPauseOffered && (
          <PausePanel
            selection={selection}
            offer={findPauseOffer(screen?.pauseOffers ?? [], answers.reason)}
            pauseCommand={pauseCommand}
            onPause={pauseInstead}
          />
        )}
        {/* The refetched plans may have nothing left to pause, and the panel is gone. */}
        {!isPauseOffered && pauseCommand.error && <ChangeFailure error={pauseCommand.error} />}
        {canCancel ? (
          <CancelPanel selection={selection} cancellation={cancellation} onCancel={submit} />
        ) : (
          <CancelBySupport />
        )}
      </div>
      <EndNowDialog
        open={isAsking}
        plans={endingNow}
        onConfirm={cancel}
        onCancel={() => setIsAsking(false)}
      />
    </div>
  );
}

const subscriptionId = ({ subId }: Plan) => subId;
