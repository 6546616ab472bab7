import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { usePause } from '@/domain/changes/pausing';
import { siteOptions } from '@/lib/api/queries';
import type { Plan } from '@/lib/api/types';
import { useFormDraft } from '@/lib/hooks/useFormDraft';
import type { SetFrozen } from '@/lib/hooks/useFrozen';
import { Card } from '@/ui/Card';
import { LiveFieldError } from '@/ui/FieldError';
import { CancelBySupport } from './CancelBySupport';
import styles from './CancelForm.module.css';
import { CancelPanel } from './CancelPanel';
import { CancelPlanList } from './CancelPlanList';
import panels from './Panels.module.css';
import { PausePanel } from './PausePanel';
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
  const [answers, setAnswers] = useFormDraft('survey', NO_ANSWERS);
  const [isRefused, setRefused] = useState(false);
  const cancellation = useCancel(selection, setFrozen);
  const pauseCommand = usePause('cancel_screen', setFrozen);
  const list = useRef<HTMLDivElement>(null);
  const { chosen, pausable } = selection;
  const canCancel = site?.enableCancelButton ?? true;
  const isPauseOffered = pausable.length > 0 && (site?.pauseOfferOn ?? true);

  const submit = () => {
    setRefused(chosen.length === 0);
    if (chosen.length === 0) {
      list.current?.querySelector('input')?.focus();
      return;
    }
    cancellation.cancel({
      ...answeredQuestions(answers),
      offer: isPauseOffered ? OFFER : undefined,
    });
  };
  return (
    <div className={styles.form}>
      <div className={styles.details}>
        <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
          <h2 id="your-subscriptions">
            {selection.isChoice ? 'What would you like to cancel?' : 'Your Subscription'}
          </h2>
          <div ref={list}>
            <CancelPlanList selection={selection} />
          </div>
          <LiveFieldError>
            {isRefused && chosen.length === 0 && 'Select at least one subscription to cancel.'}
          </LiveFieldError>
        </Card>
        {canCancel && <Survey answers={answers} onChange={setAnswers} />}
      </div>
      <div className={panels.panels}>
        {isPauseOffered && (
          <PausePanel
            selection={selection}
            pauseCommand={pauseCommand}
            onPause={() =>
              pauseCommand.mutate({
                ids: pausable.map(subscriptionId),
                answers: answeredQuestions(answers),
              })
            }
          />
        )}
        {canCancel ? (
          <CancelPanel selection={selection} cancellation={cancellation} onCancel={submit} />
        ) : (
          <CancelBySupport />
        )}
      </div>
    </div>
  );
}

const subscriptionId = ({ subId }: Plan) => subId;
