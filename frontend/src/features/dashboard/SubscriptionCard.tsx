import { useState } from 'react';

import type { Plan } from '@/lib/api/types';
import { serviceArt } from '@/lib/artwork';
import { formatPrice } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { canBeCancelled, canBePaused } from '@/lib/plans';
import { withSelection } from '@/lib/selection';
import { Button, ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { ServicePicture } from '@/ui/ServicePicture';
import { StatusPill } from '@/ui/StatusPill';
import { useFocusIfLost } from '@/ui/useFocusIfLost';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { NextSteps } from './NextSteps';
import { planStatus } from './planStatus';
import { ResumeDialog } from './ResumeDialog';
import styles from './SubscriptionCard.module.css';

/** One subscription: what it is, its state, what it costs, what comes next and the way to change that. */
export function SubscriptionCard({ plan }: { plan: Plan }) {
  const [resuming, setResuming] = useState<'never' | 'open' | 'closed'>('never');
  const { words, tone } = planStatus(plan);
  const heading = useFocusIfLost<HTMLHeadingElement>(
    `${words} ${plan.hasScheduledChange} ${resuming}`,
  );
  const headingId = `subscription-${plan.subId}`;
  const resumeNow = (
    <Button variant="secondary" onClick={() => setResuming('open')}>
      Resume now<VisuallyHidden> {plan.name}</VisuallyHidden>
    </Button>
  );
  return (
    <Card as="article" labelledBy={headingId} className={styles.card}>
      <div className={styles.head}>
        <ServicePicture src={serviceArt(plan.service)} size={72} />
        <div className={styles.words}>
          <h3 id={headingId} ref={heading} tabIndex={-1}>
            {plan.name}
          </h3>
          <p className={styles.price}>{formatPrice(plan.amount, plan.periodUnit)}</p>
        </div>
        <StatusPill tone={tone}>{words}</StatusPill>
      </div>
      <NextSteps plan={plan} resumeNow={resumeNow} />
      {canBeCancelled(plan) && <Leaving plan={plan} />}
      {/* Stays once it was opened, so that it can close by itself after the plan is resumed. */}
      {resuming !== 'never' && (
        <ResumeDialog
          plan={plan}
          open={resuming === 'open'}
          onClose={() => setResuming('closed')}
        />
      )}
    </Card>
  );
}

/** The ways to a pause and to an end, one as easy as the other. */
function Leaving({ plan }: { plan: Plan }) {
  return (
    <div className={styles.leaving}>
      {canBePaused(plan) && (
        <ButtonLink variant="secondary" to={withSelection(paths.pauseOffer, [plan.subId])}>
          Pause<VisuallyHidden> {plan.name}</VisuallyHidden>
        </ButtonLink>
      )}
      <ButtonLink variant="secondary" to={withSelection(paths.cancelAll, [plan.subId])}>
        Cancel<VisuallyHidden> {plan.name}</VisuallyHidden>
      </ButtonLink>
    </div>
  );
}
