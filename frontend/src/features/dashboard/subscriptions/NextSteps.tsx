import type { ReactNode } from 'react';
import {
  CancelPauseButton,
  KeepSubscriptionButton,
  UndoChangeButton,
} from '@/domain/changes/UndoButtons';
import { useReportUndone } from '@/domain/changes/useReportUndone';
import { nextSteps, type Step, type StepKind } from '@/domain/plans/nextSteps';
import { isPaused } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { Timeline, type TimelineItem } from '@/ui/display/Timeline';

interface NextStepsProps {
  plan: Plan;
  isOwing: boolean;
  /** The button that resumes a paused plan now. */
  resumeNow: ReactNode;
}

const TONES: Record<StepKind, NonNullable<TimelineItem['tone']>> = {
  starts: 'primary',
  bill: 'primary',
  changes: 'primary',
  trialEnds: 'primary',
  resumes: 'primary',
  pauseStarts: 'plain',
  accessEnds: 'warning',
  pauseEnds: 'warning',
};

/** The upcoming events of a subscription, with dates and undo buttons. */
export function NextSteps({ plan, isOwing, resumeNow }: NextStepsProps) {
  const onUndone = useReportUndone(paths.dashboard);
  const undoChange = <UndoChangeButton plan={plan} onUndone={onUndone} />;
  const undo: Partial<Record<StepKind, ReactNode>> = {
    pauseStarts: <CancelPauseButton plan={plan} onUndone={onUndone} />,
    changes: undoChange,
    trialEnds: plan.hasScheduledChange ? undoChange : undefined,
    accessEnds: <KeepSubscriptionButton plan={plan} onUndone={onUndone} />,
    resumes: isPaused(plan) ? resumeNow : undefined,
    pauseEnds: plan.resumeDate ? undefined : resumeNow,
  };
  const items = nextSteps(plan, isOwing).map((step) => timelineItem(step, undo[step.kind]));
  return <Timeline label={`Coming up for ${plan.name}`} items={items} />;
}

function timelineItem({ kind, at, title, detail }: Step, action: ReactNode): TimelineItem {
  return {
    key: kind,
    title,
    detail,
    action,
    tone: TONES[kind],
    ...(at && { date: formatDate(at), dateTime: at }),
  };
}
