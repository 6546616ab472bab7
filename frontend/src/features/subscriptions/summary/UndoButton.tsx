import {
  CancelPauseButton,
  KeepSubscriptionButton,
  UndoChangeButton,
} from '@/domain/changes/UndoButtons';
import { useReportUndone } from '@/domain/changes/useReportUndone';
import { isEnding } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';

/** Undoes what is scheduled for a plan, if anything is, and drops the action from the address. */
export function UndoButton({ plan }: { plan: Plan }) {
  const undo = { plan, onUndone: useReportUndone(paths.summary) };
  if (isEnding(plan)) return <KeepSubscriptionButton {...undo} />;
  if (plan.hasScheduledChange) return <UndoChangeButton {...undo} />;
  return plan.hasScheduledPause ? <CancelPauseButton {...undo} /> : null;
}
