import { useState } from 'react';
import { useHasUnbilledCharges, useOverdueIds } from '@/domain/payments/useOverdueAmount';
import { addressWithIds } from '@/domain/plans/planAddresses';
import { canBeCancelled, canBePaused, planStatus } from '@/domain/plans/plans';
import { ServicePicture } from '@/domain/services/ServicePicture';
import { servicePictureUrl } from '@/domain/services/servicePictures';
import { ResumeDialog } from '@/features/dashboard/resume/ResumeDialog';
import type { Plan } from '@/lib/api/types';
import { formatPrice } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { Button, ButtonLink } from '@/ui/buttons/Button';
import { StatusPill } from '@/ui/display/StatusPill';
import { Card } from '@/ui/layout/Card';
import { useFocusIfLost } from '@/ui/lostFocus';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { NextSteps } from './NextSteps';
import { planStatusLabel } from './planStatus';
import styles from './SubscriptionCard.module.css';

/** A subscription with its status, price, upcoming events and actions. */
export function SubscriptionCard({ plan }: { plan: Plan }) {
  const [resumeState, setResumeState] = useState<'never' | 'open' | 'closed'>('never');
  const isOverdue = useOverdueIds().includes(plan.subId);
  const hasUnbilled = useHasUnbilledCharges();
  const { label, tone } = planStatusLabel(plan, isOverdue);
  // The label alone stays the same while a payment is overdue.
  const heading = useFocusIfLost<HTMLHeadingElement>(
    [planStatus(plan), plan.hasScheduledPause, plan.hasScheduledChange, resumeState].join(),
  );
  const headingId = `subscription-${plan.subId}`;
  const resumeNow = (
    <Button variant="secondary" onClick={() => setResumeState('open')}>
      Resume now<VisuallyHidden> {plan.name}</VisuallyHidden>
    </Button>
  );
  return (
    <Card as="article" labelledBy={headingId} className={styles.card}>
      <div className={styles.head}>
        <ServicePicture src={servicePictureUrl(plan.service)} size={72} />
        <div className={styles.text}>
          <h3 id={headingId} ref={heading} tabIndex={-1}>
            {plan.name}
          </h3>
          <p className={styles.price}>{formatPrice(plan.amount, plan)}</p>
        </div>
        <StatusPill tone={tone}>{label}</StatusPill>
      </div>
      <NextSteps plan={plan} isOwing={isOverdue || hasUnbilled} resumeNow={resumeNow} />
      {canBeCancelled(plan) && <PauseAndCancelLinks plan={plan} />}
      {/* Stays mounted once opened, so that it can close itself after the plan is resumed. */}
      {resumeState !== 'never' && (
        <ResumeDialog
          plan={plan}
          open={resumeState === 'open'}
          onClose={() => setResumeState('closed')}
        />
      )}
    </Card>
  );
}

/** Links to pausing and to canceling, with equal weight. */
function PauseAndCancelLinks({ plan }: { plan: Plan }) {
  return (
    <div className={styles.leaving}>
      {canBePaused(plan) && (
        <ButtonLink variant="secondary" to={addressWithIds(paths.pauseOffer, [plan.subId])}>
          Pause<VisuallyHidden> {plan.name}</VisuallyHidden>
        </ButtonLink>
      )}
      <ButtonLink variant="secondary" to={addressWithIds(paths.cancelAll, [plan.subId])}>
        Cancel<VisuallyHidden> {plan.name}</VisuallyHidden>
      </ButtonLink>
    </div>
  );
}
