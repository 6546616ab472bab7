import type { ReactNode } from 'react';

import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { nextSteps, type Step, type StepKind } from '@/lib/nextSteps';
import { isPaused } from '@/lib/plans';
import { Timeline, type TimelineItem } from '@/ui/Timeline';
import { CancelPause, KeepSubscription, UndoChange } from './Undo';

interface NextStepsProps {
  plan: Plan;
  /** The button that ends a pause at once. */
  resumeNow: ReactNode;
}

const TONES: Record<StepKind, NonNullable<TimelineItem['tone']>> = {
  bill: 'primary',
  changes: 'primary',
  trialEnds: 'primary',
  resumes: 'primary',
  pauseStarts: 'plain',
  accessEnds: 'warning',
};

/** What comes next for a subscription, each with its date and the way to undo it. */
export function NextSteps({ plan, resumeNow }: NextStepsProps) {
  const undo: Partial<Record<StepKind, ReactNode>> = {
    pauseStarts: <CancelPause plan={plan} />,
    changes: <UndoChange plan={plan} />,
    accessEnds: <KeepSubscription plan={plan} />,
    resumes: isPaused(plan) ? resumeNow : undefined,
  };
  const items = nextSteps(plan).map((step) => itemOf(step, undo[step.kind]));
  return <Timeline label={`What comes next for ${plan.name}`} items={items} />;
}

function itemOf({ kind, at, title, detail }: Step, action: ReactNode): TimelineItem {
  return {
    key: kind,
    title,
    detail,
    action,
    tone: TONES[kind],
    ...(at && { date: formatDate(at), dateTime: at }),
  };
}
