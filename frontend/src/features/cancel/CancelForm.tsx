import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';

import { siteOptions } from '@/lib/api/queries';
import type { Plan } from '@/lib/api/types';
import { usePause } from '@/lib/pausing';
import { useFormDraft } from '@/lib/useFormDraft';
import type { Hold } from '@/lib/useHeldStill';
import { Card } from '@/ui/Card';
import { LiveFieldError } from '@/ui/FieldError';
import styles from './CancelForm.module.css';
import { CancelPanel } from './CancelPanel';
import { OtherWay } from './OtherWay';
import panels from './Panels.module.css';
import { PausePanel } from './PausePanel';
import { PlanList } from './PlanList';
import { Survey } from './Survey';
import { given, NO_ANSWERS } from './survey';
import { useCancel } from './useCancel';
import type { Leaving } from './useLeaving';

/** What stands beside the end, as operators count it. */
const OFFER = 'pause';

interface CancelFormProps {
  leaving: Leaving;
  hold: Hold;
}

/** The plans, the survey, and the two ways: a month off, or the end. What fails keeps what was entered. */
export function CancelForm({ leaving, hold }: CancelFormProps) {
  const { data: site } = useQuery(siteOptions);
  const [answers, setAnswers] = useFormDraft('survey', NO_ANSWERS);
  const [refused, setRefused] = useState(false);
  const cancelling = useCancel(leaving, hold);
  const pausing = usePause('cancel_screen', hold);
  const list = useRef<HTMLDivElement>(null);
  const { chosen, pausable } = leaving;
  const canCancel = site?.enableCancelButton ?? true;
  const offered = pausable.length > 0 && (site?.pauseOfferOn ?? true);

  const cancel = () => {
    setRefused(chosen.length === 0);
    if (chosen.length === 0) {
      list.current?.querySelector('input')?.focus();
      return;
    }
    cancelling.cancel({ ...given(answers), offer: offered ? OFFER : undefined });
  };
  return (
    <div className={styles.form}>
      <div className={styles.about}>
        <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
          <h2 id="your-subscriptions">
            {leaving.isChoice ? 'What would you like to cancel?' : 'Your Subscription'}
          </h2>
          <div ref={list}>
            <PlanList leaving={leaving} />
          </div>
          <LiveFieldError>
            {refused && chosen.length === 0 && 'Choose at least one subscription to cancel.'}
          </LiveFieldError>
        </Card>
        {canCancel && <Survey answers={answers} onChange={setAnswers} />}
      </div>
      <div className={panels.panels}>
        {offered && (
          <PausePanel
            leaving={leaving}
            pausing={pausing}
            onPause={() => pausing.mutate({ ids: pausable.map(idOf), answers: given(answers) })}
          />
        )}
        {canCancel ? (
          <CancelPanel leaving={leaving} cancelling={cancelling} onCancel={cancel} />
        ) : (
          <OtherWay />
        )}
      </div>
    </div>
  );
}

const idOf = ({ subId }: Plan) => subId;
